import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';

const LINES_MAX = 12;

/** The failures of a stage, repeated at the end, where a reader of a long run looks first. */
export function failuresOf(reports, stage) {
  const [xml, json] = [join(reports, `${stage}.xml`), join(reports, `${stage}.json`)];
  if (existsSync(xml)) return junitFailures(readFileSync(xml, 'utf8'), stage);
  if (existsSync(json)) return playwrightFailures(JSON.parse(readFileSync(json, 'utf8')), stage);
  return [];
}

function junitFailures(xml, stage) {
  const cases = xml.match(/<testcase\b[^>]*?(?:\/>|>[\s\S]*?<\/testcase>)/g) ?? [];
  return cases
    .filter((item) => /<(?:failure|error)\b/.test(item))
    .flatMap((item) =>
      failureLines(stage, /\bname="([^"]*)"/.exec(item)?.[1], /<failure[^>]*>([\s\S]*?)<\/failure>/.exec(item)?.[1]),
    );
}

function playwrightFailures(report, stage) {
  const specs = [];
  const collect = (suite) => {
    specs.push(...(suite.specs ?? []));
    for (const inner of suite.suites ?? []) collect(inner);
  };
  for (const suite of report.suites ?? []) collect(suite);
  return specs
    .filter(({ ok }) => !ok)
    .flatMap(({ title, file, line, tests }) => {
      const errors = tests.flatMap(({ results }) => results.flatMap((result) => result.errors ?? []));
      return failureLines(stage, `${file}:${line} ${title}`, errors[0]?.message ?? 'did not run');
    });
}

function failureLines(stage, name = '', why = '') {
  const lines = stripVTControlCharacters(unescaped(why)).trim().split('\n').slice(0, LINES_MAX);
  return [`\n✖ ${stage}: ${unescaped(name)}`, ...lines.map((line) => `  ${line}`)];
}

const ENTITIES = { '&lt;': '<', '&gt;': '>', '&quot;': '"', '&apos;': "'", '&#10;': '\n', '&amp;': '&' };
const unescaped = (text) => text.replaceAll(/&(?:lt|gt|quot|apos|#10|amp);/g, (entity) => ENTITIES[entity]);
