import assert from 'node:assert/strict';
import { test } from 'node:test';
import pg from 'pg';
import { readConfig } from '../../../src/platform/config.ts';
import { UserError } from '../../../src/platform/errors.ts';

test('the server starts without any environment variable', () => {
  const config = readConfig({});
  assert.equal(config.port, 3000);
  assert.equal(config.simulatorsPort, 3100);
  assert.equal(config.simulators, true);
  assert.equal(config.variant, 'th');
  assert.equal(config.databaseUrl, undefined);
  assert.match(config.dataDirectory, /\/data$/);
  assert.equal(config.outsideFile, `${config.dataDirectory}/outside.json`);
});

test('an empty environment variable equals a missing one', () => {
  assert.equal(readConfig({ PORT: '', VARIANT: ' ' }).port, 3000);
});

test('an invalid value of a variable is reported in a sentence with its name', () => {
  const invalidValues = {
    PORT: 'http',
    SIMULATORS_PORT: '70000',
    SIMULATORS: 'yes',
    VARIANT: 'lo',
    DATABASE_URL: 'mysql://root:hunter2@localhost/krapao',
    METRICS_PORT: '-1',
    DATABASE_CONNECTIONS: '1',
    REQUESTS_PER_MINUTE: '0',
    EVENT_LOOP_DELAY_MAX_MS: '1s',
    PUBLIC_URL: 'play.example.com',
    SIMULATORS_URL: 'https://play.example.com/phone',
    DRAIN_MS: '60001',
    LOG_TO: './server.log',
    LOG_MAX_MB: '0',
    FP_MINIMUM: '0.5',
    LOG_LEVEL: 'loud',
    GAME_TAB: 'other',
    GAME_SITE: 'https://play.example.com',
    S3_ENDPOINT: 'ftp://files',
    TRUSTED_PROXIES: '10.0.0.0/8; drop',
  };
  for (const [name, value] of Object.entries(invalidValues)) {
    assert.throws(
      () => readConfig({ [name]: value }),
      (error: unknown) =>
        error instanceof UserError && error.message.startsWith(`${name} must `) && error.message.endsWith('.'),
      name,
    );
  }
});

test('the server listens on this machine only unless HOST is set, and ignores a trailing slash of site addresses', () => {
  assert.equal(readConfig({}).host, '127.0.0.1');
  assert.equal(readConfig({}).publicUrl, undefined);
  const { host, publicUrl, simulatorsUrl } = readConfig({
    HOST: '0.0.0.0',
    PUBLIC_URL: 'https://play.example.com/',
    SIMULATORS_URL: 'http://192.168.1.7:3100',
  });
  assert.deepEqual(
    [host, publicUrl, simulatorsUrl],
    ['0.0.0.0', 'https://play.example.com', 'http://192.168.1.7:3100'],
  );
});

test('FP_MINIMUM is whole baht, up to the maximum of FP', () => {
  assert.equal(readConfig({}).fpMinimum, undefined);
  assert.equal(readConfig({ FP_MINIMUM: '25' }).fpMinimum, 25);
  for (const invalidMinimum of ['0', '-1', '50001', '1e3', '010', '10.00', '฿10']) {
    assert.throws(() => readConfig({ FP_MINIMUM: invalidMinimum }), {
      message: `FP_MINIMUM must be a whole number of baht from 1 to 50000, not "${invalidMinimum}".`,
    });
  }
});

test('games open in a new tab unless GAME_TAB says the same tab', () => {
  assert.equal(readConfig({}).gameTab, 'new');
  assert.equal(readConfig({ GAME_TAB: 'new' }).gameTab, 'new');
  assert.equal(readConfig({ GAME_TAB: 'same' }).gameTab, 'same');
  for (const invalidTab of ['here', 'SAME', '1']) {
    assert.throws(() => readConfig({ GAME_TAB: invalidTab }), {
      message: `GAME_TAB must be new or same, not "${invalidTab}".`,
    });
  }
});

test('GAME_SITE is a country or a host, and no other part of an address', () => {
  assert.equal(readConfig({}).gameSite, undefined);
  for (const site of ['th', 'la', 'localhost', 'play.example.com', '127.0.0.1:3100', 'games:8443', '[::1]:3100']) {
    assert.equal(readConfig({ GAME_SITE: site }).gameSite, site);
  }
  const invalidUrls = [
    'TH',
    'lao',
    'play.example.com/th',
    'me@play.example.com',
    'play.example.com:99999',
    '300.1.1.1',
    'a..b',
  ];
  for (const site of [
    ...invalidUrls,
    'javascript:alert(1)',
    'th,la',
    '*.example.com',
    '..',
    'play.example.com:',
    '?',
    '-',
  ]) {
    assert.throws(() => readConfig({ GAME_SITE: site }), /^CannotStart: GAME_SITE must be a country/, site);
  }
});

test('the start is refused if two ports are equal', () => {
  assert.throws(
    () => readConfig({ PORT: '3100' }),
    /^CannotStart: PORT and SIMULATORS_PORT must differ, but both are 3100\.$/,
  );
  assert.equal(readConfig({ PORT: '3100', SIMULATORS: 'off' }).port, 3100);
  assert.equal(readConfig({ PORT: '0', SIMULATORS_PORT: '0', METRICS_PORT: '0' }).port, 0);
  assert.throws(
    () => readConfig({ PORT: '9464', METRICS_PORT: '9464' }),
    /^CannotStart: PORT and METRICS_PORT must differ, but both are 9464\.$/,
  );
  assert.throws(
    () => readConfig({ METRICS_PORT: '3100' }),
    /^CannotStart: SIMULATORS_PORT and METRICS_PORT must differ, but both are 3100\.$/,
  );
  assert.equal(readConfig({ METRICS_PORT: '3100', SIMULATORS: 'off' }).metricsPort, 3100);
});

test('several invalid variables are reported together', () => {
  assert.throws(() => readConfig({ PORT: 'x', VARIANT: 'y' }), /^CannotStart: PORT must .*\nVARIANT must /);
});

test('an invalid value that may contain a password is not printed', () => {
  const names = ['DATABASE_URL', 'DATABASE_READ_URL', 'S3_ENDPOINT', 'OTEL_EXPORTER_OTLP_ENDPOINT'];
  for (const name of [...names, 'PUBLIC_URL', 'SIMULATORS_URL']) {
    assert.throws(
      () => readConfig({ [name]: 'mysql://root:hunter2@localhost/krapao' }),
      (error: unknown) =>
        error instanceof UserError && error.message.startsWith(`${name} must `) && !error.message.includes('hunter2'),
      name,
    );
  }
});

test('a database address that the driver cannot parse is refused, and every form that it parses is accepted', () => {
  const validUrls = [
    'postgres://localhost',
    'postgresql://krapao:p@10.0.0.10:5000/krapao?sslmode=verify-full&sslrootcert=/etc/krapao/ca.crt',
    'postgresql://krapao:%2F%23%3F%25%40@[::1]:5432/krapao',
    'postgresql://krapao:100%@host/krapao',
    'postgresql://krapao@%2Ftmp%2Fsocket:5432/krapao',
    'postgresql:///krapao?host=/var/run/postgresql',
    'postgresql://krapao:p@/krapao?host=/var/run/postgresql',
    'postgresql://?host=/var/run/postgresql',
  ];
  const invalidUrls = [
    'postgresql://krapao:hunter2/x@host:5432/krapao',
    'postgresql://krapao:hunter2#x@host:5432/krapao',
    'postgresql://krapao:2#hunter2@host:5432/krapao',
    'postgresql://krapao:hunter2?x@host:5432/krapao',
    'postgresql://krapao:hunter2%ff@host:5432/krapao',
    'postgresql://krapao:hunter2@[::1/krapao',
    'postgresql://krapao:hunter2@host:99999/krapao',
    'postgresql://krapao:hunter2%@[::1]/krapao',
    'postgresql://',
  ];
  for (const name of ['DATABASE_URL', 'DATABASE_READ_URL']) {
    for (const url of validUrls) {
      assert.ok(readConfig({ [name]: url }));
      assert.doesNotThrow(() => new pg.Client({ connectionString: url.replace(/&sslrootcert=.*/, '') }), url);
    }
    for (const url of invalidUrls) {
      assert.throws(
        () => readConfig({ [name]: url }),
        (error: unknown) =>
          error instanceof UserError &&
          error.message.startsWith(`${name} must look like postgresql://`) &&
          error.message.endsWith('special characters of the password percent-encoded.') &&
          !error.message.includes('hunter2'),
        url,
      );
    }
  }
});

test('S3 settings without keys are refused', () => {
  assert.throws(() => readConfig({ S3_BUCKET: 'slips' }), /S3_ACCESS_KEY_ID and S3_SECRET_ACCESS_KEY must be set too/);
  const { objectStorage } = readConfig({ S3_BUCKET: 'slips', S3_ACCESS_KEY_ID: 'id', S3_SECRET_ACCESS_KEY: 'key' });
  assert.equal(objectStorage.kind, 's3');
});
