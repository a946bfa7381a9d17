import { encodeFilter, encodeOldFilter } from '../../rtnl/filter/codec.ts'
import { filterAt, filterDifference, matchesFilter } from '../../rtnl/filter/requests.ts'
import type { FilterFilter, NewFilter, OldFilter } from '../../rtnl/port/arguments.ts'
import type { Filter } from '../../rtnl/port/filter.ts'
import { qdiscAt } from '../../rtnl/qdisc/requests.ts'
import { listQdiscs, onLink, prepare } from './tables.ts'
import { type Namespace, refusal } from './world.ts'

const ETH_P_ALL = 3

export function listFilters(netns: Namespace, { link, direction }: FilterFilter): Filter[] {
  const isOf = onLink(netns, link, 'List filters')
  return netns.filters.filter((each) => isOf(each) && (direction === undefined || each.direction === direction))
}

export function putFilter(netns: Namespace, wanted: NewFilter, replace = false): boolean {
  const { name, direction, program, priority = 1, handle = 1 } = wanted
  const said = `${replace ? 'Replace' : 'Add'} filter ${JSON.stringify(name)} (${direction})`
  const { what, device } = prepare(netns, said, wanted, ' on', () => encodeFilter(wanted, 1))
  const qdisc = qdiscAt(listQdiscs(netns, { link: device.index }), 'ingress')
  if (qdisc === undefined || (direction === 'egress' && qdisc.kind !== 'clsact')) {
    throw refusal(what, 'EINVAL', "Parent Qdisc doesn't exists (the link needs the qdisc clsact)")
  }
  const there = filterAt(listFilters(netns, { link: device.index }), wanted)
  if (there !== undefined && !replace) {
    const difference = filterDifference([there], wanted, program)
    if (difference === undefined) return false
    throw refusal(what, 'EEXIST', difference)
  }
  netns.filters = netns.filters.filter((each) => each !== there)
  netns.filters.push({
    ...{ linkIndex: device.index, direction, kind: 'bpf', priority, protocol: ETH_P_ALL, handle, name },
    program: { id: program, tag: program.toString(16).padStart(16, '0') },
    directAction: true,
  })
  netns.filters.sort((a, b) => a.priority - b.priority)
  return true
}

export function dropFilter(netns: Namespace, wanted: OldFilter): boolean {
  const { device } = prepare(netns, 'Delete filter', wanted, ' of', () => encodeOldFilter(wanted, 1))
  const there = filterAt(listFilters(netns, { link: device.index }), wanted)
  if (there === undefined || !matchesFilter(there, wanted)) return false
  netns.filters = netns.filters.filter((each) => each !== there)
  return true
}
