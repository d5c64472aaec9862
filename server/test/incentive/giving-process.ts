// Runs one action of a system in a process that its test kills: grants a bonus, cancels it, or checks its state.
import { openDatabase } from '../../src/platform/database/database.ts';
import { readOutside } from '../../src/outside-config.ts';
import { bonusOf, give, holderOf, openDoor } from './incentive-world.ts';

const [databaseUrl = '', outsideFile = '', id = '', what = ''] = process.argv.slice(2);
const database = openDatabase({ url: databaseUrl, size: 4 });
const door = await openDoor({ database, databaseUrl, outside: readOutside(outsideFile) });
const member = { id };

if (what === 'give') await give(door, member, bonusOf('100', '100'));
if (what === 'clear') await door.incentive.clear(holderOf(member));
if (what === 'follow') await door.incentive.follow(holderOf(member), 'en');
await door.close();
await database.close();
