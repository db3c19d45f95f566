// Programs of the workspace as children that end with the tests.

import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import path from 'node:path';

const root = fileURLToPath(new URL('../../../', import.meta.url));

/** Path of a built program. */
export function program(name: string): string {
  // A server built for speed, where there is one: it makes a whole hotel before the first flow.
  if (name === 'sync-server' && process.env.NIGHTDESK_SYNC_SERVER) return process.env.NIGHTDESK_SYNC_SERVER;
  const target = process.env.CARGO_TARGET_DIR ?? path.join(root, 'target');
  const file = path.join(process.env.NIGHTDESK_BIN_DIR ?? path.join(target, 'debug'), name);
  if (!existsSync(file)) throw new Error(`${file} is not built: run \`cargo xtask test\``);
  return file;
}

/** The folder of the built screens. */
export function builtScreens(): string {
  return process.env.NIGHTDESK_UI ?? path.join(root, 'ui/dist');
}

/** Runs a program to its end. */
export function run(name: string, args: string[], env: NodeJS.ProcessEnv): Promise<string> {
  return new Promise((resolve, reject) => {
    execFile(program(name), args, { env, maxBuffer: 1 << 26 }, (error, stdout, stderr) => {
      if (error) reject(new Error(`${name} ${args.join(' ')}: ${error.message}\n${stderr.slice(-4000)}`));
      else resolve(stdout);
    });
  });
}

/** A program that runs until it is stopped. */
export class Running {
  private constructor(
    private readonly child: ChildProcess,
    /** The address from its line `... ready ADDRESS`. */
    readonly address: string,
    private readonly ended: Promise<void>,
  ) {}

  static start(name: string, args: string[], env: NodeJS.ProcessEnv): Promise<Running> {
    const child = spawn(program(name), args, { env, stdio: ['ignore', 'pipe', 'pipe'] });
    const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
    let out = '';
    let err = '';
    child.stderr.on('data', (data: Buffer) => {
      err = (err + data.toString()).slice(-8000);
    });
    return new Promise((resolve, reject) => {
      child.once('error', reject);
      child.once('exit', (code) => reject(new Error(`${name} ended (${code}) before it was ready\n${out}${err}`)));
      child.stdout.on('data', (data: Buffer) => {
        out += data.toString();
        const ready = / ready (http:\S+)/.exec(out);
        if (ready?.[1]) resolve(new Running(child, ready[1], ended));
      });
    });
  }

  /** Asks it to stop and waits; kills it when it does not. */
  async stop(): Promise<void> {
    this.child.kill('SIGTERM');
    const hard = setTimeout(() => this.child.kill('SIGKILL'), 10_000);
    await this.ended;
    clearTimeout(hard);
  }
}
