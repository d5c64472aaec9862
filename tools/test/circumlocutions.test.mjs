import assert from 'node:assert/strict';
import { test } from 'node:test';
import { checkCircumlocutions, findCircumlocutions } from '../house/circumlocutions.mjs';

const file = (path, text) => [{ path, text }];

test('a circumlocution in a comment, a title or a message is found, with the term to write instead', () => {
  const found = findCircumlocutions(
    file(
      'server/src/ledger/lane.ts',
      "// Whoever waits is told what became of it.\ntest('nobody gets through', run);\n",
    ),
  );
  assert.deepEqual(found.map(({ sentence }) => sentence.replace(/: write .*/, '')).toSorted(), [
    'server/src/ledger/lane.ts:1 says "Whoever"',
    'server/src/ledger/lane.ts:1 says "is told"',
    'server/src/ledger/lane.ts:1 says "what became of"',
    'server/src/ledger/lane.ts:2 says "gets through"',
    'server/src/ledger/lane.ts:2 says "nobody"',
  ]);
});

test('values, texts for people and applied migrations are left alone', () => {
  const files = [
    ...file('server/src/a.ts', "const user = 'nobody'; const nobody = ask('/nobody/balance');\n"),
    ...file('phrases/en/chat.json', '"Nobody is waiting"'),
    ...file('phrases/src/words.ts', '// Whoever reads.'),
    ...file('server/migrations/0001-a.sql', '-- Whoever reads.'),
  ];
  assert.deepEqual(findCircumlocutions(files), []);
});

test('a folder without a record has none; a recorded number may not be exceeded', () => {
  const files = file('web/src/a.ts', '// Whoever reads. Whoever writes.\n');
  assert.equal(checkCircumlocutions(files, {}).length, 2);
  assert.deepEqual(checkCircumlocutions(files, { web: 2 }), []);
  assert.deepEqual(checkCircumlocutions(files, { web: 1 }).slice(0, 1), ['web has 2 circumlocutions, recorded are 1:']);
});
