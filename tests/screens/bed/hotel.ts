// One server with the demonstration hotel for the whole run.

import { chmod, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';

import { Running, run } from './child';

export interface User {
  name: string;
  password: string;
  role: string;
}

export interface Hotel {
  server: string;
  users: User[];
}

/** The hotel that this run stands on. */
export function hotel(): Hotel {
  const text = process.env.NIGHTDESK_TEST_HOTEL;
  if (!text) throw new Error('the global setup has not run');
  return JSON.parse(text) as Hotel;
}

/** Whoever has that role. */
export function user(role: string): User {
  const found = hotel().users.find((one) => one.role === role);
  if (!found) throw new Error(`nobody in the hotel is ${role}`);
  return found;
}

export default async function setup(): Promise<() => Promise<void>> {
  const data = await mkdtemp(path.join(tmpdir(), 'nightdesk-screens-'));
  // As root the server's PostgreSQL runs as somebody else, who must be able to pass.
  await chmod(data, 0o711);
  // Named by the test command; without it the server brings its own private PostgreSQL.
  const database = process.env.NIGHTDESK_SCREENS_DATABASE;
  const env: NodeJS.ProcessEnv = { ...process.env, NIGHTDESK_DATA: data };
  delete env.DATABASE_URL;
  if (database) env.DATABASE_URL = database;
  const server = await Running.start('sync-server', ['serve', '--listen', '127.0.0.1:0'], env);
  await run('sync-server', ['demo'], env);
  const book = JSON.parse(await readFile(path.join(data, 'demo.json'), 'utf8')) as { users: User[] };
  const made: Hotel = { server: server.address, users: book.users };
  process.env.NIGHTDESK_TEST_HOTEL = JSON.stringify(made);
  return async () => {
    await server.stop();
    await rm(data, { recursive: true, force: true });
  };
}
