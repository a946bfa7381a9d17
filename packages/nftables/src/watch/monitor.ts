import { placeOf, type Where } from '@cni/netns/handle'
import type { NetlinkSocket } from '@cni/netns/netlink'
import { escapeUnsafe } from '@cni/types'
import { decodeRule } from '../decode/tables.ts'
import { baseText } from '../print/chains.ts'
import { ruleText } from '../print/rule.ts'
import { setRecordText } from '../print/set-record.ts'
import { setLines } from '../print/set-text.ts'
import { type Change, type Commit, commits } from '../wire/events/commits.ts'
import type { Nft } from '../wire/nft.ts'
import type { SetName } from '../wire/specs.ts'
import { KnownSets } from './known-sets.ts'
import { listen } from './listen.ts'

/**
 * Reports every change of nf_tables in a namespace, as `nft monitor` does. Anonymous sets are reported with their rule.
 * Throws `NftError`: `DENIED`, `UNSUPPORTED`.
 *
 * @example
 * ```ts
 * import type { Netns } from '@cni/netns'
 * import { monitor } from '@cni/nftables/watch'
 *
 * export async function log(pod: Netns, signal: AbortSignal, write: (line: string) => void) {
 *   for await (const { program, changes } of monitor(pod, { signal })) for (const text of changes) write(`${program}: ${text}`)
 * }
 * ```
 */
export async function* monitor(
  where: Where,
  options: {
    /** AbortSignal that ends the iteration over changes. Default: the AbortSignal of the context. */
    readonly signal?: AbortSignal | undefined
    /**
     * Milliseconds between two polls of the event socket. Default on the main thread: no polling. Default on a worker
     * thread: 10.
     */
    readonly interval?: number | undefined
    /** Open netlink sockets, for tests with a fake kernel. The iteration does not close them. */
    readonly sockets?:
      | {
          readonly nft: Nft
          /**
           * Netlink socket that receives every transaction. A fake kernel opens it by `nfnetlink({ events: true })`.
           */
          readonly events: NetlinkSocket
        }
      | undefined
  } = {},
): AsyncGenerator<
  Pick<Commit, 'generation' | 'pid' | 'program' | 'lost'> & {
    /** Changes of one transaction, such as `add rule inet ex output tcp dport 80 accept # handle 7`. */
    readonly changes: readonly string[]
  },
  void,
  void
> {
  const context = placeOf(where, 'monitor')
  using listening = listen(context.netns, options)
  const { nft, socket } = listening
  const sets = new KnownSets()
  await sets.read(nft)
  for await (const commit of commits(socket, listening.until(options.signal ?? context.signal))) {
    const { changes, generation, pid, program, lost } = commit
    if (lost) await sets.read(nft)
    for (const change of changes) if (change.action === 'add') sets.add(change)
    const texts = joinElementChanges(changes).flatMap((change) => changeText(change, sets) ?? [])
    for (const change of changes) if (change.action === 'delete') sets.delete(change)
    if (texts.length > 0 || lost) yield { generation, pid, program, lost, changes: texts }
  }
}

/** Joins adjacent changes of one set's elements, because the kernel reports the bounds of an interval one by one. */
function joinElementChanges(changes: readonly Change[]): Change[] {
  const result: Change[] = []
  for (const change of changes) {
    const last = result.at(-1)
    const isMore = change.kind === 'element' && last?.kind === 'element' && last.action === change.action
    if (!isMore || !isSameSet(last.set, change.set)) result.push(change)
    else result[result.length - 1] = { ...last, elements: [...last.elements, ...change.elements] }
  }
  return result
}

const isSameSet = (a: SetName, b: SetName): boolean => a.family === b.family && a.table === b.table && a.set === b.set

/** Text of a change in nf_tables. `undefined` for an anonymous set and its elements: the rule's text contains them. */
function changeText(change: Change, sets: KnownSets): string | undefined {
  const what = objectText(change, sets)
  return what === undefined ? undefined : escapeUnsafe(`${change.action} ${what}`)
}

function objectText(change: Change, sets: KnownSets): string | undefined {
  switch (change.kind) {
    case 'table':
      return `table ${change.table.family} ${change.table.table}`
    case 'chain': {
      const { family, table, chain, base, policy } = change.chain
      const suffix = base === undefined ? '' : ` { ${baseText(base, policy, family)} }`
      return `chain ${family} ${table} ${chain}${suffix}`
    }
    case 'rule': {
      const { family, table, chain, handle } = change.rule
      const text = ruleText(decodeRule(change.rule, sets.of(change.rule)), family)
      return `rule ${family} ${table} ${chain} ${text} # handle ${handle}`
    }
    case 'set':
      return setObjectText(change, sets)
    case 'element': {
      const { family, table, set } = change.set
      const record = sets.of(change.set).get(set)
      if (record?.set.flags?.includes('anonymous') === true) return undefined
      const texts = record && setRecordText({ ...record, elements: change.elements }).elements
      return `element ${family} ${table} ${set} { ${texts?.join(', ') ?? `${change.elements.length} elements`} }`
    }
    default:
      return change.kind
  }
}

function setObjectText({ action, set: name }: Change & { readonly kind: 'set' }, sets: KnownSets): string | undefined {
  const { family, table, set } = name
  const record = sets.of(name).get(set)
  if (record?.set.flags?.includes('anonymous') === true) return undefined
  const kind = record?.set.flags?.includes('map') === true ? 'map' : 'set'
  const what = `${kind} ${family} ${table} ${set}`
  if (action === 'delete' || record === undefined) return what
  const lines = setLines(setRecordText({ ...record, elements: [] })).slice(1, -1)
  return `${what} { ${lines.map((line) => line.trim()).join('; ')}; }`
}
