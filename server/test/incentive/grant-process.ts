// A process that its test kills: grants a bonus, clears it, or follows its condition.

import { readOutside } from '../../src/outside-config.ts';
import { openDatabase } from '../../src/platform/database/database.ts';
import { bonusAward, grantAward, memberRefOf, openIncentiveNode } from './incentive-fixtures.ts';

const [databaseUrl = '', outsideFile = '', id = '', action = ''] = process.argv.slice(2);
const database = openDatabase({ url: databaseUrl, size: 4 });
const incentiveNode = await openIncentiveNode({ database, databaseUrl, outside: readOutside(outsideFile) });
const member = { id };

if (action === 'give') await grantAward(incentiveNode, member, bonusAward('100', '100'));
if (action === 'clear') await incentiveNode.incentive.cancelBonus(memberRefOf(member));
if (action === 'follow') await incentiveNode.incentive.refreshProgress(memberRefOf(member), 'en');
await incentiveNode.close();
await database.close();
