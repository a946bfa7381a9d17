import { type CompileOptions, compileIn } from './compile.ts'
import type { Contents } from './programs.ts'
import { recordOrder } from './record-order.ts'
import type { Smoke } from './start-up.ts'
import { notRunnable } from './target.ts'
import type { Tools } from './tools.ts'

/** How the start that decides about the layout is done; undefined where none does. */
export const orderedBy = ({ runtime, target }: Tools, smoke: Smoke | false = 'plugin'): Smoke | undefined =>
  runtime === 'bun' && smoke !== false && notRunnable(target) === undefined ? smoke : undefined

/**
 * Compile inside a folder, with bun twice: the second time by the order in which the first result uses its functions when
 * it is started.
 *
 * @returns `ordered` is undefined where the runtime has no such order
 * @throws BuildError as `compile`, and `SMOKE` when it does not start
 */
export async function compileInOrder(
  folder: string,
  tools: Tools,
  contents: Contents,
  {
    options,
    say,
  }: {
    options: Pick<CompileOptions, 'outfile' | 'jit' | 'signal'> & { smoke?: Smoke | false }
    say: (line: string) => void
  },
): Promise<{ fresh: string; ordered: boolean | undefined }> {
  const fresh = await compileIn(folder, tools, contents, options)
  say(`compiled with ${tools.runtime} ${tools.version} for ${tools.target}`)
  if (tools.runtime === 'node') return { fresh, ordered: undefined }
  const kind = orderedBy(tools, options.smoke)
  if (kind === undefined) return { fresh, ordered: false }
  const order = await recordOrder(fresh, { folder, kind, signal: options.signal })
  options.signal?.throwIfAborted()
  if (order === undefined) {
    say(`its code is not laid out for a start: bun ${tools.version} has recorded nothing of one`)
    return { fresh, ordered: false }
  }
  await compileIn(folder, tools, contents, { ...options, order })
  say('compiled again, its code laid out for a start')
  return { fresh, ordered: true }
}
