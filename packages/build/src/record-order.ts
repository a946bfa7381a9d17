import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { STARTED_ANEW } from './start-anew.ts'
import { answer, ask, type Smoke } from './start-up.ts'

/** Where bun writes which functions a run has used, at its end. */
const ORDER_OUT = 'BUN_BYTECODE_ORDER_OUT'

/** The variable is one that an executable starts anew without, unless that was done. */
const AS_IF_STARTED_ANEW = `export ${STARTED_ANEW}=$$; exec "$0" "$@"`

/**
 * Starts an executable, and has bun record the functions that this uses: those of every start, which lie together when it
 * is compiled by that order. A record of calls that do more gained no more.
 *
 * @returns the file with the order, in `folder`; undefined where the run has left none, as with a bun that records none
 * @throws BuildError `SMOKE` when it does not start
 */
export async function recordOrder(
  executable: string,
  { folder, kind, signal }: { folder: string; kind: Smoke; signal: AbortSignal | undefined },
): Promise<string | undefined> {
  const file = join(folder, '.order')
  // As it is first: a run that records has a warning of its variable on stderr.
  await answer(executable, kind, signal)
  await ask(['/bin/sh', '-c', AS_IF_STARTED_ANEW, executable], { kind, env: { [ORDER_OUT]: file }, signal })
  return existsSync(file) ? file : undefined
}
