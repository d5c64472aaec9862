/** What stands where the operator's name goes until `GET /api/lookup/info` has told it. */
export const APP_NAME = 'Krapao';
