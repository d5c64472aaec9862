/** The table of commands in README.md names every script of package.json and no other. Answers sentences. */
export function checkCommands(files) {
  const textOf = (path) => files.find((file) => file.path === path)?.text;
  const [scripts, readme] = [textOf('package.json'), textOf('README.md')];
  if (scripts === undefined || readme === undefined) return ['README.md or package.json is missing.'];
  const rows = [...readme.matchAll(/^\| (`npm [^|]*)\|/gm)].map(([, cell]) => cell).join();
  const named = new Set([...rows.matchAll(/`npm (?:run )?([a-z][\w:-]*)/g)].map(([, name]) => name));
  const present = new Set(Object.keys(JSON.parse(scripts).scripts));
  return [
    ...[...present.difference(named)].map((name) => `README.md: the table of commands lacks ${name}.`),
    ...[...named.difference(present)].map((name) => `README.md: package.json has no script ${name}.`),
  ];
}
