import fc from 'fast-check'
import { expect, test } from 'vitest'
import { isSetError } from './errors.ts'
import type { SetSpec } from './spec-types.ts'
import { fakeIpset } from './testing/fake-ipset.ts'

const hostile = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc
    .array(
      fc.constantFrom(
        ...['10.0.0.1', 'fd00::1', '/8', ',tcp:80', ',6:80', '-', ' ', '\n', '\t', '"', '\\', "'", '#', '-exist', '\0'],
        ...[
          'add x 1.1.1.1',
          'destroy',
          'timeout 0',
          '80',
          '02:00:00:00:00:01',
          '10.0.0.1-10.0.0.9',
          'example.com',
          'é',
        ],
      ),
      { maxLength: 4 },
    )
    .map((parts) => parts.join('')),
  fc.constantFrom<unknown>(undefined, null, 7, {}, ['10.0.0.1'], Number.NaN, { toString: () => '10.0.0.1\n' }),
)

const specs: readonly SetSpec[] = [
  { type: 'hash:ip', family: 'ipv4', comment: true, timeoutSeconds: 9 },
  { type: 'hash:net', family: 'ipv6', comment: true, timeoutSeconds: 9 },
  { type: 'hash:ip,port', family: 'ipv6', comment: true, timeoutSeconds: 9 },
  { type: 'hash:net,port', family: 'ipv4', comment: true, timeoutSeconds: 9 },
  { type: 'hash:mac', comment: true, timeoutSeconds: 9 },
  { type: 'list:set', comment: true, timeoutSeconds: 9 },
  { type: 'bitmap:port', comment: true, timeoutSeconds: 9 },
]

/** One line with one set, one entry and known options. */
const line = /^add [\w.][\w.:-]* [\w.:/,-]+( timeout \d+)?( nomatch)?( comment "[^"\p{Cc}]{1,255}")?\n$/u

test('no value of an entry or a name adds a word or a line: it is refused before any process starts', async () => {
  let written = 0
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...specs),
      fc.oneof(fc.constant('pods'), hostile),
      fc.record(
        {
          entry: fc.oneof(hostile, fc.constantFrom('10.0.0.1', 'fd00::1', '10.0.0.1,tcp:80', 'x', '80')),
          comment: hostile,
          timeoutSeconds: fc.oneof(hostile, fc.nat(9)),
          nomatch: fc.oneof(hostile, fc.boolean()),
        },
        { requiredKeys: ['entry'] },
      ),
      async (spec, name, entry) => {
        const fake = fakeIpset({ fail: () => 'stop' })
        // @ts-expect-error: outside values have no types
        const error = await attempt(() => fake.set(name, spec).add(entry))
        expect(isSetError(error), String(error)).toBe(true)
        if (isSetError(error) && error.code === 'INVALID') expect(fake.commands).toEqual([])
        else {
          written++
          expect(fake.commands).toHaveLength(1)
          expect(fake.commands[0]?.input).toMatch(line)
        }
      },
    ),
    { numRuns: 2000 },
  )
  expect(written).toBeGreaterThan(10)
})

test.for([
  [{ type: 'hash:ip', family: 'inet' }, "family \"inet\" is neither 'ipv4' nor 'ipv6'"],
  [{ type: 'hash:ip', family: 'ipv4', maxelem: '9 comment' }, 'maxelem: "9 comment" is not an integer'],
  [
    { type: 'hash:ip', family: 'ipv4', timeoutSeconds: 2147484 },
    'timeoutSeconds: 2147484 is not an integer from 0 to 2147483',
  ],
  [{ type: 'hash:ip', family: 'ipv4', size: 9 }, 'a hash:ip set has no option "size"'],
  [{ type: 'hash:ip', family: 'ipv4', comment: 'yes' }, 'comment must be true or false'],
  [{ type: 'hash:ip x', family: 'ipv4' }, 'the type "hash:ip x" is not one of hash:ip, '],
  [{ type: 'constructor' }, 'the type "constructor" is not one of'],
  [{ type: 'bitmap:port', range: [9, 8] }, 'range: 8 is not an integer from 9 to 65535'],
  [undefined, 'a spec such as'],
] as const)('the invalid spec %j is refused: %s', ([spec, words]) => {
  // @ts-expect-error: outside values have no types
  expect(() => fakeIpset().set('pods', spec)).toThrow(words)
})

test.for<[SetSpec, string, string]>([
  [{ type: 'hash:ip', family: 'ipv4' }, 'fd00::1', 'is IPv6, but the set is for IPv4; use two sets'],
  [{ type: 'hash:ip', family: 'ipv6' }, '10.0.0.1', 'is IPv4, but the set is for IPv6; use two sets'],
  [{ type: 'hash:ip', family: 'ipv4' }, '10.0.0.0/24', 'a network needs a hash:net set'],
  [{ type: 'hash:net', family: 'ipv4' }, '0.0.0.0/0', 'instead of /0 use two networks of /1'],
  [{ type: 'hash:ip,port', family: 'ipv4' }, '10.0.0.1', 'with protocol and port, such as 10.0.0.5,tcp:80'],
  [{ type: 'hash:ip', family: 'ipv4' }, '0.0.0.0', 'is not one IPv4 address'],
  [{ type: 'bitmap:port', range: [1, 9] }, '10', 'is not a port from 1 to 9'],
  [{ type: 'hash:mac' }, '02:00', 'is not a hardware address'],
])('%j refuses the entry %s: it %s', async ([spec, entry, words]) => {
  const fake = fakeIpset()
  const error = await attempt(() => fake.set('pods', spec).add(entry))
  expect(error).toMatchObject({ code: 'INVALID' })
  expect(String(error)).toContain(words)
  expect(fake.commands).toEqual([])
})

test('a comment of 255 bytes is accepted, a longer one refused', async () => {
  const fake = fakeIpset()
  const set = fake.set('pods', { type: 'hash:ip', family: 'ipv4', comment: true })
  await set.replace({ entry: '10.0.0.1', comment: `x${'é'.repeat(127)}` })
  await expect(set.add({ entry: '10.0.0.1', comment: 'é'.repeat(128) })).rejects.toMatchObject({ code: 'INVALID' })
})

async function attempt(work: () => Promise<unknown>): Promise<unknown> {
  try {
    return await work()
  } catch (error) {
    return error
  }
}
