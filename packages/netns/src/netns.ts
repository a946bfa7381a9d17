import { readFile } from './enter/read-file.ts'
import { run } from './enter/runner.ts'
import { exec, start } from './enter/start.ts'
import { warmPool } from './enter/warm-pool.ts'
import { isSame } from './handle/netns.ts'
import { current, open } from './handle/open.ts'
import { bind, create, destroy } from './named/create.ts'

/** Everything one does with a network namespace. */
export const netns = { open, current, isSame, create, bind, destroy, run, start, exec, readFile, warmPool } as const
