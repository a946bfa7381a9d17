import type {
  ConntrackEntry,
  ConntrackEvent,
  ConntrackFilter,
  ConntrackPort,
  ConntrackWatchOptions,
} from '../conntrack/entry.ts'
import { type CheckedFilter, checkFilter, checkLimit, checkNotEmpty, matches, tooMany } from '../conntrack/filter.ts'
import { placeOf, type Where } from '../handle/where.ts'

/**
 * Replacement for `conntrack()` in tests, without a kernel and without root. Filters, results and errors are as with
 * `conntrack()`.
 *
 * @example
 * ```ts
 * import { fakeConntrack } from '@cni/netns/testing'
 *
 * const table = fakeConntrack()
 * table.add({ original: { src: '10.0.0.9', dst: '10.0.0.1', sport: 5555, dport: 53 } })
 * export const { deleted } = await table.delete({ protocol: 'udp', original: { dport: 53 } }) // 1
 * ```
 */
export function fakeConntrack(): ConntrackPort & {
  /** Fake of the function `conntrack`, with one connection table for each namespace. */
  open(where: Where): ConntrackPort
  /**
   * Adds a connection to the fake's table, as a packet would. Defaults: UDP over IPv4, and reply packets that mirror
   * `original`.
   */
  add(connection: Pick<ConntrackEntry, 'original'> & Partial<ConntrackEntry>, where?: Where): void
} {
  const namespaces = new Map<string, Table>()
  const tableOf = (where: Where): Table => {
    const { netns } = placeOf(where, 'conntrack')
    const key = netns === 'host' ? netns : `${netns.dev}:${netns.ino}`
    const table = namespaces.get(key) ?? { entries: [], listeners: new Set() }
    namespaces.set(key, table)
    return table
  }
  const open = (where: Where) => portFrom(tableOf(where))
  return {
    ...open('host'),
    open,
    add(connection, where = 'host') {
      const table = tableOf(where)
      const entry = entryOf(connection)
      table.entries.push(entry)
      notify(table, { type: 'new', entry })
    },
  }
}

interface Table {
  entries: ConntrackEntry[]
  readonly listeners: Set<(event: ConntrackEvent) => void>
}

function portFrom(table: Table): ConntrackPort {
  return {
    async list(filter = {}, options = {}) {
      const checked = checkFilter(filter)
      const limit = checkLimit(options.limit)
      const found = table.entries.filter((entry) => matches(entry, checked))
      if (found.length > limit) throw tooMany(limit)
      return found
    },
    async delete(filter, only = () => true) {
      const checked = checkNotEmpty(checkFilter(filter))
      const gone = table.entries.filter((entry) => matches(entry, checked) && only(entry))
      table.entries = table.entries.filter((entry) => !gone.includes(entry))
      for (const { timeoutSeconds: _, ...entry } of gone) notify(table, { type: 'destroy', entry })
      return { deleted: gone.length }
    },
    watch: (filter: ConntrackFilter = {}, options = {}) => watch(table, checkFilter(filter), options),
  }
}

function notify({ listeners }: Table, event: ConntrackEvent): void {
  for (const listener of listeners) listener(event)
}

async function* watch(
  { listeners }: Table,
  filter: CheckedFilter,
  { signal }: ConntrackWatchOptions,
): AsyncGenerator<ConntrackEvent, void, void> {
  const waiting: ConntrackEvent[] = []
  let wake = () => {}
  const listener = (event: ConntrackEvent): void => {
    if (event.type !== 'lost' && matches(event.entry, filter)) waiting.push(event)
    wake()
  }
  const end = () => wake()
  listeners.add(listener)
  signal?.addEventListener('abort', end)
  try {
    while (signal?.aborted !== true) {
      const event = waiting.shift()
      if (event !== undefined) yield event
      else {
        await new Promise<void>((resolve) => {
          wake = resolve
        })
      }
    }
  } finally {
    listeners.delete(listener)
    signal?.removeEventListener('abort', end)
  }
}

function entryOf({
  original,
  reply,
  family,
  protocol = 'udp',
  ...rest
}: Pick<ConntrackEntry, 'original'> & Partial<ConntrackEntry>): ConntrackEntry {
  const { src, dst, sport, dport } = original
  const ports = {
    ...(dport === undefined ? {} : { sport: dport }),
    ...(sport === undefined ? {} : { dport: sport }),
  }
  const entry = { original, reply: reply ?? { src: dst, dst: src, ...ports } }
  const checked = checkFilter({ ...entry, family, protocol })
  return {
    zone: 0,
    mark: 0,
    timeoutSeconds: 30,
    ...rest,
    family: checked.family ?? 'ipv4',
    protocol: checked.protocol ?? protocol,
    original: { ...original, ...checked.original },
    reply: { ...entry.reply, ...checked.reply },
  }
}
