/** A folder or file whose name is a word of the product. */
const NAMED = [
  /^server\/src\/modules\/([^/]+)\//,
  /^contract\/src\/endpoints\/([^/]+)\.ts$/,
  /^web\/src\/(?:features|shared)\/([^/]+)\//,
];

/** Each word that names a module, a feature, what features share or a group of calls stands in the glossary. Answers sentences. */
export function checkGlossary(files) {
  const glossary = files.find(({ path }) => path === 'docs/glossary.md');
  if (!glossary) return ['docs/glossary.md is missing.'];
  const words = new Set(
    [...glossary.text.matchAll(/^\|([^|]*)\|/gm)].flatMap(([, cell]) =>
      [...cell.matchAll(/`([^`]+)`/g)].map(([, word]) => word),
    ),
  );
  const found = new Map();
  for (const { path } of files) {
    const word = NAMED.map((name) => name.exec(path)?.[1]).find(Boolean);
    if (word && !found.has(word)) found.set(word, path);
  }
  return [...found]
    .filter(([word]) => !words.has(word))
    .map(([word, path]) => `${path}: docs/glossary.md has no line for ${word}.`);
}
