/** Way in which the test's DNS server treats a query, such as `servfail` or `silent`. */
export type Behaviour =
  | ('zone' | 'servfail' | 'silent' | 'closes' | 'empty' | 'garbage' | 'too short')
  | ('loop' | 'truncated' | 'other id' | 'other question' | 'endless aliases' | 'many records' | 'cut')

const A = 1
const AAAA = 28
const CNAME = 5

type Entry = readonly [type: number, data: string]
const zone: Readonly<Record<string, readonly Entry[]>> = {
  'four.test': [[A, '127.0.0.9']],
  'six.test': [[AAAA, '::1']],
  'alias.test': [[CNAME, 'second.test']],
  'second.test': [[CNAME, 'four.test']],
  // The first address of `both.test` has no listener, so clients must try the next one.
  'both.test': [
    [A, '127.0.0.77'],
    [A, '127.0.0.9'],
    [AAAA, '::1'],
  ],
  'refused.test': [[A, '127.0.0.77']],
  'nothing.test': [],
  'short.a.search.test': [[A, '127.0.0.9']],
  'api.svc.b.search.test': [[A, '127.0.0.9']],
}

/** Parses a DNS query. */
export function query(bytes: Buffer): { id: number; name: string; type: number; question: Buffer } {
  const labels: string[] = []
  let at = 12
  for (let length = bytes[at] ?? 0; length > 0; length = bytes[at] ?? 0) {
    labels.push(bytes.toString('latin1', at + 1, at + 1 + length))
    at += 1 + length
  }
  const question = bytes.subarray(12, at + 5)
  return { id: bytes.readUInt16BE(0), name: labels.join('.').toLowerCase(), type: bytes.readUInt16BE(at + 1), question }
}

const u16 = (...values: readonly number[]): Buffer => Buffer.from(values.flatMap((value) => [value >> 8, value & 255]))
const wire = (name: string): Buffer =>
  Buffer.concat([
    ...name.split('.').map((label) => Buffer.from([label.length, ...Buffer.from(label)])),
    Buffer.alloc(1),
  ])

function record(owner: Buffer, type: number, data: Buffer): Buffer {
  return Buffer.concat([owner, u16(type, 1, 0, 60, data.length), data])
}

function dataOf([type, data]: Entry): Buffer {
  if (type === CNAME) return wire(data)
  return type === A ? Buffer.from(data.split('.').map(Number)) : Buffer.from([...new Uint8Array(15), 1])
}

/** Returns the DNS records of a name and of its aliases (CNAME). */
function found(name: string, type: number): Buffer[] {
  return (zone[name] ?? []).flatMap((entry) => {
    if (entry[0] === CNAME) return [record(wire(name), CNAME, dataOf(entry)), ...found(entry[1], type)]
    return entry[0] === type ? [record(wire(name), type, dataOf(entry))] : []
  })
}

/** Encodes the answer of the test's DNS server to a query. Returns `undefined` if the server does not answer. */
export function message(bytes: Buffer, behaviour: Behaviour): Buffer | undefined {
  const { id, name, type, question } = query(bytes)
  const build = (records: readonly Buffer[], { flags = 0x8180, as = id, asked = question } = {}): Buffer =>
    Buffer.concat([u16(as, flags, 1, records.length, 0, 0), asked, ...records])
  const first = Buffer.from([0xc0, 12])
  const good = record(first, type, type === A ? Buffer.from([127, 0, 0, 9]) : Buffer.from([...new Uint8Array(15), 1]))
  switch (behaviour) {
    case 'silent':
    case 'closes':
      return undefined
    case 'empty':
      return Buffer.alloc(0)
    case 'servfail':
      return build([], { flags: 0x8182 })
    case 'garbage':
      return Buffer.alloc(60_000, 0xa5)
    case 'too short':
      return build([good])
    case 'cut':
      return build([good]).subarray(0, -3)
    case 'truncated':
      return build([good], { flags: 0x8380 })
    case 'loop':
      // The compression pointer of the DNS record points to itself. An incorrect client would loop forever.
      return build([record(Buffer.from([0xc0, 12 + question.length]), type, Buffer.from([127, 0, 0, 9]))])
    case 'other id':
      return build([good], { as: id ^ 0x5555 })
    case 'other question':
      return build([good], { asked: Buffer.concat([wire('other.test'), u16(type, 1)]) })
    case 'endless aliases':
      return build([record(first, CNAME, wire('x.test')), record(wire('x.test'), CNAME, first)])
    case 'many records':
      return build(Array.from({ length: 1000 }, () => good))
    case 'zone':
      return zone[name] === undefined ? build([], { flags: 0x8183 }) : build(found(name, type))
  }
}
