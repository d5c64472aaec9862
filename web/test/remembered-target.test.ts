import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { loginPath, safeTarget, targetAfterLogin } from '../src/routing/login-target.ts';

test('a member page is remembered with its query for after the login', () => {
  assert.equal(safeTarget('/user/statement?page=2'), '/user/statement?page=2');
  assert.equal(loginPath('/user/statement?page=2'), '/login?target=%2Fuser%2Fstatement%3Fpage%3D2');
  assert.equal(targetAfterLogin('?target=%2Fuser%2Fstatement%3Fpage%3D2'), '/user/statement?page=2');
});

test('only member pages are remembered for after the login', () => {
  const outsideTargets = [
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
  for (const target of outsideTargets) {
    const checkedTarget = safeTarget(target);
    assert.ok(
      checkedTarget === undefined || checkedTarget.startsWith('/user'),
      `${target} became ${String(checkedTarget)}`,
    );
    assert.ok(['/user', checkedTarget].includes(targetAfterLogin(`?target=${encodeURIComponent(target)}`)));
  }
  assert.equal(safeTarget('https://example.org/user/home'), undefined);
  assert.equal(safeTarget('//example.org/user'), undefined);
  assert.equal(safeTarget('/user/../login'), undefined);
});

test('after any remembered target a login leads to this site under /user', () => {
  const origin = 'https://here.invalid';
  fc.assert(
    fc.property(
      fc.oneof(
        fc.string(),
        fc.webUrl(),
        fc.string().map((text) => `/user${text}`),
      ),
      (target) => {
        const url = new URL(targetAfterLogin(`?target=${encodeURIComponent(target)}`), origin);
        return url.origin === origin && (url.pathname === '/user' || url.pathname.startsWith('/user/'));
      },
    ),
  );
});
