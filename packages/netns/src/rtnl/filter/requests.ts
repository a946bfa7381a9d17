import { readFileSync } from 'node:fs'
import { isNetnsError, NetnsError } from '../../handle/netns-error.ts'
import type { RequestChannel } from '../../netlink/channel.ts'
import { NLM_F_CREATE, NLM_F_EXCL, NLM_F_REPLACE } from '../../netlink/constants.ts'
import { unlessAlready } from '../already.ts'
import { RTM_DELTFILTER, RTM_GETTFILTER, RTM_NEWTFILTER } from '../constants.ts'
import { prepareOnLink } from '../link/prepare-on-link.ts'
import { getLinks, linkIndex } from '../link/requests.ts'
import { linkText } from '../link/wire.ts'
import type { FilterFilter, FilterPosition, NewFilter, OldFilter } from '../port/arguments.ts'
import type { Filter } from '../port/filter.ts'
import { linkOf } from '../port/on-link.ts'
import { decodeFilter, encodeFilter, encodeOldFilter, filterQuery } from './codec.ts'

export function getFilters(channel: RequestChannel, { link, direction }: FilterFilter): Filter[] {
  const what = 'List filters'
  const indexes = link === undefined ? getLinks(channel).map(({ index }) => index) : [linkIndex(channel, link, what)]
  const directions = direction === undefined ? (['ingress', 'egress'] as const) : [direction]
  return indexes.flatMap((index) =>
    directions.flatMap((each) =>
      channel
        .dump({ type: RTM_GETTFILTER, fixed: filterQuery(index, each), what })
        .flatMap(({ body }) => decodeFilter(body) ?? []),
    ),
  )
}

export function addFilter(channel: RequestChannel, filter: NewFilter): boolean {
  const { what, index, encoded } = prepare(channel, 'Add', filter)
  const id = programId(filter, what)
  return unlessAlready(
    ['EEXIST'],
    () => put(channel, { flags: NLM_F_CREATE | NLM_F_EXCL, ...encoded, what }),
    () => filterDifference(getFilters(channel, { link: index, direction: filter.direction }), filter, id),
  )
}

/** Adds a traffic filter, or replaces in one step the filter with the same direction, priority and handle. */
export function replaceFilter(channel: RequestChannel, filter: NewFilter): void {
  const { what, encoded } = prepare(channel, 'Replace', filter)
  programId(filter, what)
  put(channel, { flags: NLM_F_CREATE | NLM_F_REPLACE, ...encoded, what })
}

export function deleteFilter(channel: RequestChannel, filter: OldFilter): boolean {
  const { direction } = filter
  const ref = linkOf(filter, 'Delete filter')
  const what = `Delete filter ${filter.name ?? filter.handle ?? 1} of ${linkText(ref)} (${direction})`
  encodeOldFilter(filter, 1)
  const index = linkIndex(channel, ref, what)
  const there = filterAt(getFilters(channel, { link: index, direction }), filter)
  if (there === undefined || !matchesFilter(there, filter)) return false
  return unlessAlready(['ENOENT'], () => channel.ask({ type: RTM_DELTFILTER, ...encodeOldFilter(there, index), what }))
}

/** Finds the traffic filter with the given direction, priority and handle in a list. */
export function filterAt(filters: readonly Filter[], { direction, priority = 1, handle = 1 }: FilterPosition) {
  return filters.find((each) => each.direction === direction && each.priority === priority && each.handle === handle)
}

/** True if kind, name and program of an existing traffic filter match the filter to delete. */
export function matchesFilter(there: Filter, { kind = 'bpf', name, program }: OldFilter): boolean {
  return (
    there.kind === kind &&
    (name === undefined || there.name === name) &&
    (program === undefined || there.program?.id === program.id)
  )
}

/** Describes how the existing traffic filter differs from the wanted one. `undefined` means no difference. */
export function filterDifference(filters: readonly Filter[], wanted: NewFilter, id: number): string | undefined {
  const there = filterAt(filters, wanted)
  if (there === undefined) return 'another process has removed it since'
  const { kind, name, program } = there
  if (kind !== 'bpf') return `it exists, but its kind is ${kind}`
  if (name !== wanted.name) return `it exists, but its name is ${JSON.stringify(name)}`
  return program?.id === id ? undefined : `it exists, but with program ${program?.id} instead of ${id}`
}

function put(channel: RequestChannel, message: Omit<Parameters<RequestChannel['ask']>[0], 'type'>): void {
  try {
    channel.ask({ type: RTM_NEWTFILTER, ...message })
  } catch (error) {
    if (!isNetnsError(error) || error.code !== 'EINVAL') throw error
    throw new NetnsError(error.code, `${error.message} (the link needs the qdisc clsact)`, { cause: error })
  }
}

/**
 * Reads the id of an eBPF program from /proc/self/fdinfo. Throws `NetnsError('INVALID')` if the descriptor is not an
 * eBPF program.
 */
function programId({ program }: NewFilter, what: string): number {
  const wrong = (cause?: unknown) => {
    const expected = 'expected the descriptor of a loaded eBPF program'
    return new NetnsError('INVALID', `${what}: ${expected}, got ${program}`, { cause })
  }
  try {
    const id = /^prog_id:\s*(\d+)$/m.exec(readFileSync(`/proc/self/fdinfo/${program}`, 'utf8'))?.[1]
    if (id !== undefined) return Number(id)
  } catch (cause) {
    throw wrong(cause)
  }
  throw wrong()
}

const prepare = (channel: RequestChannel, verb: string, filter: NewFilter) =>
  prepareOnLink(
    channel,
    [`${verb} filter ${JSON.stringify(filter.name)} (${filter.direction})`, 'on'],
    filter,
    encodeFilter,
  )
