import assert from 'node:assert/strict';
import { test } from 'node:test';
import { criticalCss, tokensOf } from '../build/critical-css.ts';
import { blocksOf } from '../build/css-blocks.ts';

const criticalCssOf = (css: string, html: string) => criticalCss(css, tokensOf([html]), ['latin'], false);
const inertCriticalCssOf = (css: string, html: string) => criticalCss(css, tokensOf([html]), ['latin'], true);

test('CSS blocks are split at their own braces, whatever strings and comments contain', () => {
  assert.deepEqual(blocksOf('a{b:"}"}/* { */@x y;@media z{c{d:e}}'), [
    { prelude: 'a', body: 'b:"}"' },
    { prelude: '/* { */@x y', body: undefined },
    { prelude: '@media z', body: 'c{d:e}' },
  ]);
});

test('critical CSS keeps rules whose every class is on the page', () => {
  assert.equal(criticalCssOf('.a{x:1}.b{x:2}.a.b{x:3}', '<p class="a">'), '.a{x:1}');
  assert.equal(criticalCssOf('.b,.a:hover{x:1}', "<p class='a'>"), '.b,.a:hover{x:1}');
  assert.equal(criticalCssOf('.lg\\:p-1\\.5{x:1}', '<p class="lg:p-1.5">'), '.lg\\:p-1\\.5{x:1}');
  assert.equal(criticalCssOf('html{x:1}', ''), 'html{x:1}');
});

test('critical CSS of an inert page omits rules that only input activates', () => {
  const css = '.a:active{x:1}.a:focus-visible{x:2}.focus\\:b:focus{x:3}.transition-a{x:4}.a\\:focus{x:5}';
  const html = '<p class="a focus:b transition-a a:focus">';
  assert.equal(inertCriticalCssOf(css, html), '.a\\:focus{x:5}');
  assert.equal(criticalCssOf(css, html), css);
});

test('rules inside conditions are selected one by one, and empty conditions are removed', () => {
  assert.equal(criticalCssOf('@media (min-width:1px){.a{x:1}.b{x:2}}', '"a"'), '@media (min-width:1px){.a{x:1}}');
  assert.equal(criticalCssOf('@media (min-width:1px){.b{x:2}}', '"a"'), '');
});

test('unused keyframes, tokens and font faces are removed from critical CSS', () => {
  const css =
    ':root{--color-a:red;--color-b:blue}.a{color:var(--color-a);animation:go 1s}@keyframes go{to{x:1}}@keyframes no{to{x:1}}';
  assert.equal(
    criticalCssOf(css, '"a"'),
    ':root{--color-a:red;}.a{color:var(--color-a);animation:go 1s}@keyframes go{to{x:1}}',
  );
  const fontFaces =
    '@font-face{src:url(/assets/latin-1.woff2)}@font-face{src:url(/assets/lao-1.woff2)}@font-face{src:local(A)}';
  assert.equal(criticalCssOf(fontFaces, ''), '@font-face{src:url(/assets/latin-1.woff2)}@font-face{src:local(A)}');
});

test('a translucent colour is mixed from its token, because the fallback is that of the dark theme', () => {
  const fallback = '.a\\/95{background-color:#150a14f2}';
  const mixed = '.a\\/95{background-color:color-mix(in oklab, var(--color-a) 95%, transparent)}';
  assert.equal(
    criticalCssOf(`${fallback}@supports (color:color-mix(in lab, red, red)){${mixed}}`, '<p class="a/95">'),
    mixed,
  );
});

test('critical CSS omits defaults of defined tokens and repeated declarations', () => {
  const theme = ':root{--default-font-family:a}';
  assert.equal(
    criticalCssOf(`${theme}html{x:var(--default-font-family,b, "c");y:var(--default-z,d)}`, ''),
    `${theme}html{x:var(--default-font-family);y:var(--default-z,d)}`,
  );
  assert.equal(criticalCssOf('a{x:1;y:2;y:2;y:2;z:3}', ''), 'a{x:1;y:2;z:3}');
});
