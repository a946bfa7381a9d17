import { placeOf, type Where } from '@cni/netns/handle'
import type { Ruleset } from '../rules/model.ts'
import { driftOf } from '../verify/diff.ts'
import { isClean } from '../verify/drift.ts'
import { type Change, type Commit, commits } from '../wire/events/commits.ts'
import type { Nft } from '../wire/nft.ts'
import type { Drift } from '../wire/nft-error.ts'
import type { TableName } from '../wire/specs.ts'
import { listen } from './listen.ts'
import type { monitor } from './monitor.ts'

/**
 * Compares the kernel's tables with a ruleset after each change. The first comparison is made at once. Yields `drift`
 * after each comparison that finds a difference. Yields `clean` after the first comparison without a difference. Yields
 * `clean` again after a drift or an error. Throws `NftError`: `DENIED`, `UNSUPPORTED`.
 *
 * @example
 * ```ts
 * import { nftables } from '@cni/nftables'
 * import type { Ruleset } from '@cni/nftables/rules'
 * import { watch } from '@cni/nftables/watch'
 * import type { Netns } from '@cni/netns'
 *
 * export async function heal(pod: Netns, rules: Ruleset, signal: AbortSignal) {
 *   for await (const event of watch(pod, rules, { signal })) if (event.state === 'drift') await nftables(pod).apply(rules)
 * }
 * ```
 */
export async function* watch(
  where: Where,
  rules: Ruleset,
  options: NonNullable<Parameters<typeof monitor>[1]> & {
    /** Milliseconds until the next comparison after an error. Default: 30 000. */
    readonly retry?: number | undefined
  } = {},
): AsyncGenerator<
  | { readonly state: 'clean' }
  | { readonly state: 'drift'; readonly drift: Drift }
  | { readonly state: 'error'; readonly error: unknown },
  void,
  void
> {
  const context = placeOf(where, 'watch')
  const { signal: end = context.signal, retry = 30_000 } = options
  const names = rules.tables.map(({ family, name }): TableName => ({ family, table: name }))
  // Opens the event socket first, because a later socket would miss changes during the read.
  using listening = listen(context.netns, options)
  const { nft, socket } = listening
  let state: WatchEvent['state'] | undefined
  while (end?.aborted !== true) {
    const { event, generation } = await compare(nft, rules)
    if (event.state !== 'clean' || state !== 'clean') yield event
    state = event.state
    const timeout = state === 'error' ? [AbortSignal.timeout(retry)] : []
    const wait = AbortSignal.any([...(end === undefined ? [] : [end]), ...timeout])
    for await (const commit of commits(socket, listening.until(wait))) {
      if (isNew(commit, generation) && concerns(commit, names)) break
    }
  }
}

type WatchEvent = ReturnType<typeof watch> extends AsyncGenerator<infer Event> ? Event : never

interface Comparison {
  readonly event: WatchEvent
  /** Generation of the kernel's rules at the last comparison. */
  readonly generation: number | undefined
}

async function compare(nft: Nft, rules: Ruleset): Promise<Comparison> {
  try {
    const generation = nft.generation()
    const drift = await driftOf(nft, rules)
    return { event: isClean(drift) ? { state: 'clean' } : { state: 'drift', drift }, generation }
  } catch (error) {
    return { event: { state: 'error', error }, generation: undefined }
  }
}

/** True if a commit happened after the last comparison. Generations have 32 bits and wrap around. */
const isNew = (commit: Commit, seen: number | undefined): boolean =>
  seen === undefined || commit.generation === undefined || ((commit.generation - seen) | 0) > 0

const concerns = ({ lost, changes }: Commit, names: readonly TableName[]): boolean =>
  lost || changes.some((change) => isIn(change, names))

function isIn(change: Change, names: readonly TableName[]): boolean {
  const of = tableOf(change)
  return of === undefined || names.some(({ family, table }) => family === of.family && table === of.table)
}

/** Table that a change in nf_tables concerns. `undefined` if the change names no table. */
function tableOf(change: Change): TableName | undefined {
  switch (change.kind) {
    case 'table':
      return change.table
    case 'chain':
      return change.chain
    case 'rule':
      return change.rule
    case 'set':
    case 'element':
      return change.set
    default:
      return undefined
  }
}
