import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';

const LINES_MAX = 12;

/** Failures of a stage, repeated at the end of a long run, where readers look first. */
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
  const collectSpecs = (suite) => {
    specs.push(...(suite.specs ?? []));
    for (const innerSuite of suite.suites ?? []) collectSpecs(innerSuite);
  };
  for (const suite of report.suites ?? []) collectSpecs(suite);
  return specs
    .filter(({ ok }) => !ok)
    .flatMap(({ title, file, line, tests }) => {
      const errors = tests.flatMap(({ results }) => results.flatMap((result) => result.errors ?? []));
      return failureLines(stage, `${file}:${line} ${title}`, errors[0]?.message ?? 'did not run');
    });
}

function failureLines(stage, name = '', details = '') {
  const lines = stripVTControlCharacters(unescapeXml(details)).trim().split('\n').slice(0, LINES_MAX);
  return [`\n✖ ${stage}: ${unescapeXml(name)}`, ...lines.map((line) => `  ${line}`)];
}

const XML_ENTITIES = { '&lt;': '<', '&gt;': '>', '&quot;': '"', '&apos;': "'", '&#10;': '\n', '&amp;': '&' };
const unescapeXml = (text) => text.replaceAll(/&(?:lt|gt|quot|apos|#10|amp);/g, (entity) => XML_ENTITIES[entity]);
