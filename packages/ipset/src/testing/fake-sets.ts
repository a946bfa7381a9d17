import { networkAddress, parsePrefix } from '@cni/types/ip'
import { canonicalText } from '../entry.ts'
import { parseSets, type SavedSet } from '../parse-save.ts'
import { maxelemOf } from '../spec.ts'
import type { SetEntry, SetSpec } from '../spec-types.ts'

/** Fake IP sets in memory, with the lines and error messages of `ipset`. */
export class FakeSets {
  readonly #sets = new Map<string, FakeSet>()

  /** Executes lines for `ipset restore`. Returns the error of the first invalid line. Earlier lines stay in effect. */
  restore(text: string, exist: boolean): string | undefined {
    for (const [index, line] of text.split('\n').entries()) {
      const why = line === '' ? undefined : this.#line(line, exist)
      if (why !== undefined) return `ipset v7.17: Error in line ${index + 1}: ${why}`
    }
    return undefined
  }

  /** Output of `ipset save` for a fake set. `undefined` if the set does not exist. */
  save(name?: string): string | undefined {
    if (name !== undefined && !this.#sets.has(name)) return undefined
    return [...this.#sets]
      .filter(([each]) => name === undefined || each === name)
      .map(([each, { made, entries }]) => {
        const adds = [...entries.values()].map((entry) => `add ${each} ${printed(entry)}\n`)
        return `create ${each} ${made}\n${adds.join('')}`
      })
      .join('')
  }

  /** Output of `ipset list -terse` for all fake sets. */
  list(): string {
    return [...this.#sets]
      .map(([name, { made, entries }]) => {
        const [type, ...header] = made.split(' ')
        const references = this.#isReferenced(name) ? 1 : 0
        return [
          `Name: ${name}\nType: ${type}\nRevision: 0\nHeader: ${header.join(' ')}\nSize in memory: 0`,
          `References: ${references}\nNumber of entries: ${entries.size}\n`,
        ].join('\n')
      })
      .join('\n')
  }

  /** True if an entry matches the fake set. `undefined` if the set does not exist. */
  test(name: string, entry: string): boolean | undefined {
    const set = this.#sets.get(name)
    return set && matches(set, entry)
  }

  #line(line: string, exist: boolean): string | undefined {
    const [verb, name = '', other = ''] = line.split(' ')
    if (verb === 'create') return this.#create(line, name, exist)
    const set = this.#sets.get(name)
    if (set === undefined) return verb === 'destroy' && exist ? undefined : 'The set with the given name does not exist'
    switch (verb) {
      case 'add':
        return this.#add(set, line, name, exist)
      case 'del':
        return set.entries.delete(canonicalText(set.spec, other) ?? other) || exist
          ? undefined
          : "Element cannot be deleted from the set: it's not added"
      case 'flush':
        set.entries.clear()
        return undefined
      case 'destroy':
        if (this.#isReferenced(name)) return 'Set cannot be destroyed: it is in use by a kernel component'
        this.#sets.delete(name)
        return undefined
      case 'swap':
        return this.#swap(name, set, other)
      case 'rename':
        if (this.#isReferenced(name)) return 'Set cannot be renamed: it is in use by another system'
        if (this.#sets.has(other)) return 'Set cannot be renamed: a set with the new name already exists'
        this.#sets.delete(name)
        this.#sets.set(other, set)
        return undefined
      default:
        return `No command specified: unknown argument ${verb}`
    }
  }

  #create(line: string, name: string, exist: boolean): string | undefined {
    const made = line.split(' ').slice(2).join(' ')
    const old = this.#sets.get(name)
    if (old !== undefined) {
      const same = withoutSize(old.made) === withoutSize(made)
      return exist && same ? undefined : 'Set cannot be created: set with the same name already exists'
    }
    const header = parseSets(`${line}\n`)[0]
    const spec = header && specOf(header)
    if (spec === undefined) return `Syntax error: typename '${line.split(' ')[2]}' is unknown`
    this.#sets.set(name, { made, spec, entries: new Map() })
    return undefined
  }

  #add(set: FakeSet, line: string, name: string, exist: boolean): string | undefined {
    const read = parseSets(`create ${name} x\n${line}\n`)[0]?.entries[0]
    const text = read && canonicalText(set.spec, read.entry)
    if (read === undefined || text === undefined) return `Syntax error: cannot parse ${read?.entry}`
    if (read.comment !== undefined && set.spec.comment !== true) {
      return 'Comment cannot be used: set was created without comment support'
    }
    if (read.timeoutSeconds !== undefined && set.spec.timeoutSeconds === undefined) {
      return 'Timeout cannot be used: set was created without timeout support'
    }
    const old = set.entries.get(text)
    if (old !== undefined && !exist) return "Element cannot be added to the set: it's already added"
    if (old === undefined && set.entries.size >= maxelemOf(set.spec)) return 'Hash is full, cannot add more elements'
    if (set.spec.type === 'list:set') {
      const member = this.#sets.get(text)
      if (member === undefined) return 'Set to be added/deleted/tested as element does not exist.'
      if (member.spec.type === 'list:set') return 'Sets with list:set type cannot be added to the set.'
    }
    set.entries.set(text, {
      ...(set.spec.timeoutSeconds !== undefined && { timeoutSeconds: set.spec.timeoutSeconds }),
      ...(set.spec.counters === true && { packets: old?.packets ?? 0, bytes: old?.bytes ?? 0 }),
      ...read,
      entry: text,
    })
    return undefined
  }

  #swap(name: string, set: FakeSet, other: string): string | undefined {
    const second = this.#sets.get(other)
    if (second === undefined) return 'Sets cannot be swapped: the second set does not exist'
    if (kind(set.spec) !== kind(second.spec)) return 'The sets cannot be swapped: their type does not match'
    this.#sets.set(name, second)
    this.#sets.set(other, set)
    return undefined
  }

  #isReferenced(name: string): boolean {
    return [...this.#sets.values()].some(({ spec, entries }) => spec.type === 'list:set' && entries.has(name))
  }
}

// internal

interface FakeSet {
  /** Type and options of the fake set: the words after the name in its `create` line. */
  readonly made: string
  readonly spec: SetSpec
  readonly entries: Map<string, SetEntry>
}

const kind = (spec: SetSpec) => `${spec.type} ${'family' in spec ? spec.family : ''}`

const withoutSize = (made: string) => made.replace(/ (hash)?size \d+/, '')

function specOf({
  type,
  family = 'ipv4',
  comment,
  counters,
  timeoutSeconds,
  maxelem,
  range,
}: SavedSet): SetSpec | undefined {
  const common = {
    ...(comment && { comment }),
    ...(counters && { counters }),
    ...(timeoutSeconds !== undefined && { timeoutSeconds }),
  }
  switch (type) {
    case 'hash:ip':
    case 'hash:net':
    case 'hash:ip,port':
    case 'hash:net,port':
      return { type, family, ...common, ...(maxelem !== undefined && { maxelem }) }
    case 'hash:mac':
      return { type, ...common, ...(maxelem !== undefined && { maxelem }) }
    case 'bitmap:port': {
      const [from, to] = (range ?? '0-65535').split('-').map(Number)
      return { type, ...common, range: [from ?? 0, to ?? 65535] }
    }
    case 'list:set':
      return { type, ...common }
    default:
      return undefined
  }
}

/** Formats an entry of a fake set as `ipset save` prints it. */
function printed(entry: SetEntry): string {
  const { entry: text, comment, packets, bytes, nomatch } = entry
  const timeout = entry.timeoutSeconds === undefined ? '' : ` timeout ${entry.timeoutSeconds}`
  const counters = packets === undefined ? '' : ` packets ${packets} bytes ${bytes ?? 0}`
  return `${text}${timeout}${counters}${nomatch ? ' nomatch' : ''}${comment === undefined ? '' : ` comment "${comment}"`}`
}

/** True if an entry matches the fake set. The network with the longest prefix decides. */
function matches({ spec, entries }: FakeSet, tested: string): boolean {
  const text = canonicalText(spec, tested) ?? tested
  const exact = entries.get(text)
  if (exact !== undefined || !spec.type.startsWith('hash:net')) return exact !== undefined && exact.nomatch !== true
  const { prefix, rest } = split(text)
  let best: { length: number; nomatch: boolean } | undefined
  for (const each of entries.values()) {
    const other = split(each.entry)
    if (prefix === undefined || other.prefix === undefined || other.rest !== rest) continue
    const { length } = other.prefix
    const inside =
      length <= prefix.length && sameBytes(networkAddress({ bytes: prefix.bytes, length }), other.prefix.bytes)
    if (inside && length > (best?.length ?? -1)) best = { length, nomatch: each.nomatch === true }
  }
  return best !== undefined && !best.nomatch
}

const split = (entry: string) => {
  const [net = '', rest] = entry.split(',')
  return { prefix: parsePrefix(net), rest }
}

const sameBytes = (one: Uint8Array, other: Uint8Array) => one.every((byte, index) => byte === other[index])
