export const KBANK_TABLES = `
create table if not exists kbank_request (uid text primary key, at integer not null) strict, without rowid;
`;
