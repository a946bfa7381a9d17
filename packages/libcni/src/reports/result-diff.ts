import { decodeResult, goStringify, isObject, type Result } from '@cni/types'

/** One difference between two CNI results. */
export interface ResultChange {
  readonly op: 'add' | 'remove' | 'change' | 'reorder'
  /**
   * Path of the changed member, such as `ips[1].gateway`. The index is the item's position in the new result. For a
   * removed item, the index is the position in the old result.
   */
  readonly path: string
  readonly before?: unknown
  readonly after?: unknown
}

/**
 * Compares a plugin's result with its `prevResult`. Pairs list items by name, address or destination.
 *
 * @param before - the `prevResult`; `undefined` for the first plugin of a chain.
 * @throws an error if either document is not a CNI result.
 *
 * @example
 * ```ts
 * diffResults(prevResult, { ...prevResult, routes: [{ dst: '0.0.0.0/0' }] })
 * // [{ op: 'add', path: 'routes[0]', after: { dst: '0.0.0.0/0' } }]
 * ```
 */
export function diffResults(before: unknown, after: unknown): ResultChange[] {
  const changes = compare('', membersOf(before), membersOf(after))
  const was = versionOf(before)
  // The first plugin of a chain sets the version. This is not reported as a change.
  return was === undefined ? changes : [...compare('cniVersion', was, versionOf(after)), ...changes]
}

/** Formats one difference between results as a line: `+ ips[0] {"address":"10.1.0.2/24"}`. */
export function formatChange({ op, path, before, after }: ResultChange): string {
  switch (op) {
    case 'add':
      return `+ ${path} ${goStringify(after)}`
    case 'remove':
      return `- ${path} ${goStringify(before)}`
    case 'change':
      return `~ ${path} ${goStringify(before)} -> ${goStringify(after)}`
    case 'reorder':
      return `~ ${path} in another order`
  }
}

function membersOf(document: unknown): Omit<Result, 'cniVersion'> {
  if (document === undefined || document === null) return {}
  const { cniVersion, ...members } = decodeResult(document)
  return members
}

function versionOf(document: unknown): unknown {
  return isObject(document) ? document.cniVersion : undefined
}

function compare(path: string, before: unknown, after: unknown): ResultChange[] {
  if (before === undefined && after === undefined) return []
  if (before === undefined) return isEmpty(after) ? [] : whole('add', path, after)
  if (after === undefined) return isEmpty(before) ? [] : whole('remove', path, before)
  if (Array.isArray(before) && Array.isArray(after)) return compareLists(path, before, after)
  if (isObject(before) && isObject(after)) {
    const names = [...new Set([...Object.keys(before), ...Object.keys(after)])]
    return names.flatMap((name) => compare(path === '' ? name : `${path}.${name}`, before[name], after[name]))
  }
  return canonical(before) === canonical(after) ? [] : [{ op: 'change', path, before, after }]
}

/** Reports each item of a list as a separate change. Several short lines are easier to read. */
function whole(op: 'add' | 'remove', path: string, value: unknown): ResultChange[] {
  const one = (at: string, entry: unknown): ResultChange =>
    op === 'add' ? { op, path: at, after: entry } : { op, path: at, before: entry }
  return Array.isArray(value) ? value.map((entry, index) => one(`${path}[${index}]`, entry)) : [one(path, value)]
}

function compareLists(path: string, before: readonly unknown[], after: readonly unknown[]): ResultChange[] {
  const pairs = pair(path, before, after)
  const partnerOf = new Map(pairs.map(([from, to]) => [to, from]))
  const kept = new Set(partnerOf.values())
  const removed = before.flatMap((entry, index): ResultChange[] =>
    kept.has(index) ? [] : [{ op: 'remove', path: `${path}[${index}]`, before: entry }],
  )
  const others = after.flatMap((entry, index): ResultChange[] => {
    const from = partnerOf.get(index)
    const at = `${path}[${index}]`
    return from === undefined ? [{ op: 'add', path: at, after: entry }] : compare(at, before[from], entry)
  })
  const order = after.flatMap((_, index) => partnerOf.get(index) ?? [])
  const moved = order.some((from, index) => from < (order[index - 1] ?? 0))
  return [...removed, ...others, ...(moved ? [{ op: 'reorder', path } as const] : [])]
}

/** Pairs the items of two lists: first equal items, then items with the same name, address or destination. */
function pair(path: string, before: readonly unknown[], after: readonly unknown[]): Array<readonly [number, number]> {
  const pairs: Array<readonly [number, number]> = []
  const free = new Set(before.keys())
  const open = new Set(after.keys())
  for (const identity of [canonical, (entry: unknown) => identityOf(path, entry)]) {
    for (const to of open) {
      const wanted = identity(after[to])
      const from = wanted === undefined ? undefined : [...free].find((index) => identity(before[index]) === wanted)
      if (from === undefined) continue
      pairs.push([from, to])
      free.delete(from)
      open.delete(to)
    }
  }
  return pairs
}

function identityOf(path: string, entry: unknown): string | undefined {
  if (!isObject(entry)) return undefined
  switch (path) {
    case 'interfaces':
      return canonical([entry.name, entry.sandbox])
    case 'ips':
      return canonical(entry.address)
    case 'routes':
      return canonical([entry.dst, entry.table])
    default:
      return undefined
  }
}

function canonical(value: unknown): string {
  return goStringify(value, { sortKeys: true })
}

function isEmpty(value: unknown): boolean {
  return Array.isArray(value) ? value.length === 0 : isObject(value) && Object.keys(value).length === 0
}
