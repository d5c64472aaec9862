import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { loginPath, safeTarget, targetAfterLogin } from '../src/routing/login-target.ts';

test("a member's page is remembered with its query", () => {
  assert.equal(safeTarget('/user/statement?page=2'), '/user/statement?page=2');
  assert.equal(loginPath('/user/statement?page=2'), '/login?target=%2Fuser%2Fstatement%3Fpage%3D2');
  assert.equal(targetAfterLogin('?target=%2Fuser%2Fstatement%3Fpage%3D2'), '/user/statement?page=2');
});

test('nothing outside the pages of members is ever remembered', () => {
  const outside = [
    'https://example.org/user/home',
    '//example.org/user',
    '/\\example.org/user',
    '\\\\example.org',
    '/user/../login',
    '/user/..//example.org',
    '/users',
    '/login',
    'javascript:alert(1)',
    '/user\n/home',
    '/%2e%2e/user',
    '',
  ];
  for (const target of outside) {
    const kept = safeTarget(target);
    assert.ok(kept === undefined || kept.startsWith('/user'), `${target} became ${String(kept)}`);
    assert.ok(['/user', kept].includes(targetAfterLogin(`?target=${encodeURIComponent(target)}`)));
  }
  assert.equal(safeTarget('https://example.org/user/home'), undefined);
  assert.equal(safeTarget('//example.org/user'), undefined);
  assert.equal(safeTarget('/user/../login'), undefined);
});

test('whatever is given, a login ends on this site under /user', () => {
  const here = 'https://here.invalid';
  fc.assert(
    fc.property(
      fc.oneof(
        fc.string(),
        fc.webUrl(),
        fc.string().map((text) => `/user${text}`),
      ),
      (target) => {
        const url = new URL(targetAfterLogin(`?target=${encodeURIComponent(target)}`), here);
        return url.origin === here && (url.pathname === '/user' || url.pathname.startsWith('/user/'));
      },
    ),
  );
});
