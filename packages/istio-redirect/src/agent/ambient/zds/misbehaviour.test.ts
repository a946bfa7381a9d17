import { closeSync, openSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import type { RawZtunnel } from '../../../../test/zds/raw-ztunnel.ts'
import { descriptors, type ZdsFixture, zdsFixture } from '../../../../test/zds/zds-fixture.ts'

const eventually = { timeout: 20_000 }
const soon = { answerMs: 200, helloMs: 200 }
const hex = (text: string) => Buffer.from(text.replaceAll(' ', ''), 'hex')

/** Connects a ztunnel that has received all pods. */
async function joined(it: ZdsFixture): Promise<RawZtunnel> {
  const before = it.zds.connections().filter(({ state }) => state === 'live').length
  const ztunnel = it.connect()
  await ztunnel.join()
  await it.live(before + 1)
  return ztunnel
}

/** Sends a message with a file descriptor. */
async function withDescriptor(ztunnel: RawZtunnel, bytes: Uint8Array): Promise<void> {
  const fd = openSync('/dev/null', 'r')
  await ztunnel.say(bytes, [fd])
  closeSync(fd)
}

describe('a hello', () => {
  test.each([
    ['undecodable', '08'],
    ['longer than 1024 bytes', `0801${'2a0161'.repeat(400)}`],
  ])('ends the connection at once if it is %s', async (_, text) => {
    await using it = zdsFixture()
    const ztunnel = it.connect()
    await ztunnel.say(hex(text))
    expect(await ztunnel.next()).toBeUndefined()
    await expect.poll(() => it.zds.connections(), eventually).toEqual([])
    expect(it.log).toEqual([expect.stringMatching(/^warn .*is disconnected/)])
  })

  test('with a descriptor ends the connection', async () => {
    await using it = zdsFixture()
    const ztunnel = it.connect()
    await withDescriptor(ztunnel, hex('0801'))
    expect(await ztunnel.next()).toBeUndefined()
  })

  test.each([
    ['without a version', '0800'],
    ['of another version', '0802'],
    ['with further members', '0801 120161'],
  ])('%s is accepted', async (_, text) => {
    await using it = zdsFixture()
    const ztunnel = it.connect()
    await ztunnel.say(hex(text))
    expect(await ztunnel.next()).toMatchObject({ request: { type: 'snapshotSent' } })
    await ztunnel.ack()
    await it.live(1)
  })

  test('ends the connection after its deadline if it does not arrive', async () => {
    await using it = zdsFixture(soon)
    const ztunnel = it.connect()
    expect(await ztunnel.next()).toBeUndefined()
    await expect.poll(() => it.log, eventually).toEqual([expect.stringContaining('no hello within 0.2 s')])
  })
})

describe('an answer', () => {
  const faults: readonly (readonly [string, (ztunnel: RawZtunnel) => Promise<void> | void, object])[] = [
    ['that does not arrive', () => {}, { code: 'TIMEOUT', message: expect.stringMatching(/no answer within 0\.2 s$/) }],
    [
      'that cannot be parsed',
      (z) => z.say(hex('ff')),
      { code: 'PROTOCOL', message: expect.stringContaining('cannot parse') },
    ],
    [
      'that is not an ack',
      (z) => z.say(hex('1200')),
      { code: 'PROTOCOL', message: expect.stringContaining('is not an ack') },
    ],
    [
      'of more than 1024 bytes',
      (z) => z.ack('x'.repeat(1100)),
      { message: expect.stringContaining('truncated message') },
    ],
    ['with a descriptor', (z) => withDescriptor(z, hex('0a00')), { message: expect.stringContaining('a descriptor') }],
    [
      'that a disconnect prevents',
      (z) => z.connection.close(),
      { code: 'CLOSED', message: expect.stringContaining('connection closed before response received') },
    ],
  ]
  test.each(faults)('%s fails the add and ends the connection', async (_, answer, error) => {
    await using it = zdsFixture(soon)
    const ztunnel = await joined(it)
    const added = it.zds.add(it.pod('web'))
    added.catch(() => {})
    await ztunnel.next()
    await answer(ztunnel)
    await expect(added).rejects.toMatchObject({ name: 'ZdsError', ...error })
    await expect.poll(() => it.zds.connections(), eventually).toEqual([])
    await expect(it.zds.add(it.pod('next'))).rejects.toMatchObject({ code: 'NO_ZTUNNEL' })
  })

  test('is dropped if it is late, and the next snapshot contains the pod', async () => {
    await using it = zdsFixture(soon)
    const ztunnel = await joined(it)
    const web = it.pod('web')
    it.pods.set(web.uid, web)
    const added = it.zds.add(web)
    await ztunnel.next()
    await expect(added).rejects.toMatchObject({ code: 'TIMEOUT' })
    await expect.poll(() => it.zds.connections(), eventually).toEqual([])
    await expect(ztunnel.ack('of the past')).rejects.toMatchObject({ code: 'EPIPE' })
    const again = it.connect()
    expect(await again.join()).toMatchObject([{ request: { type: 'add', uid: web.uid } }, {}])
    await it.live(1)
    const other = it.zds.add(it.pod('other'))
    await again.next()
    await again.ack()
    await other
  })

  test('without a request ends the connection, and is not taken for the answer to the next request', async () => {
    await using it = zdsFixture(soon)
    const ztunnel = await joined(it)
    const first = it.zds.add(it.pod('first'))
    await ztunnel.next()
    await ztunnel.ack()
    await first
    for (const error of ['', 'an old error']) {
      const current = await joined(it)
      await current.ack(error)
      // The answer has already arrived.
      await expect(it.zds.add(it.pod('second'))).rejects.toMatchObject({ code: 'CLOSED' })
      expect(await current.next()).toBeUndefined()
      await it.live(1)
    }
  })

  test('without a request ends an idle connection', async () => {
    await using it = zdsFixture()
    const ztunnel = await joined(it)
    await ztunnel.ack()
    expect(await ztunnel.next()).toBeUndefined()
    await expect.poll(() => it.log, eventually).toContainEqual(expect.stringContaining('unexpected message'))
  })
})

describe('a silent ztunnel', () => {
  test('delays a removal at most by the deadline of an answer, and other ztunnels get the removal once', async () => {
    await using it = zdsFixture(soon)
    const [first, silent, last] = [await joined(it), await joined(it), await joined(it)]
    const others = [first.obey(), last.obey()]
    await it.zds.remove('gone')
    await it.live(2)
    await it.zds.close()
    for (const told of others) expect(await told).toMatchObject([{ request: { type: 'del', uid: 'gone' } }])
    expect(await silent.next()).toMatchObject({ request: { type: 'del', uid: 'gone' } })
    expect(it.events.filter(({ type }) => type === 'del')).toHaveLength(3)
  })

  test('is disconnected during its snapshot, and another ztunnel gets all pods', async () => {
    await using it = zdsFixture(soon)
    for (let count = 0; count < 40; count++) {
      const pod = it.pod(`pod-${count}`)
      it.pods.set(pod.uid, pod)
    }
    const silent = it.connect()
    await silent.hello()
    const ztunnel = it.connect()
    expect(await ztunnel.join()).toHaveLength(41)
    await expect.poll(() => it.zds.connections(), eventually).toMatchObject([{ id: 2, state: 'live' }])
    expect(it.leases()).toBe(0)
  })

  test('fails all its waiting requests together', async () => {
    await using it = zdsFixture({ answerMs: 500 })
    await joined(it)
    const started = performance.now()
    const adds = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'].map((name) => it.zds.add(it.pod(name)))
    const outcomes = await Promise.allSettled(adds)
    expect(outcomes.every(({ status }) => status === 'rejected')).toBe(true)
    expect(performance.now() - started).toBeLessThan(500 * 8)
  })
})

describe('many connections', () => {
  test('without a hello leave room for a working ztunnel', async () => {
    await using it = zdsFixture()
    const web = it.pod('web')
    it.pods.set(web.uid, web)
    for (let count = 0; count < 100; count++) it.connect()
    const ztunnel = await joined(it)
    expect(it.zds.connections().length).toBeLessThanOrEqual(8)
    const told = ztunnel.obey()
    await it.zds.add(web)
    await it.zds.close()
    expect(await told).toHaveLength(1)
  })

  test('with nothing but a hello are closed after the deadline of an answer', async () => {
    await using it = zdsFixture(soon)
    for (let count = 0; count < 100; count++) await it.connect().hello()
    await expect.poll(() => it.zds.connections(), eventually).toEqual([])
    await joined(it)
  })

  test('from other users are closed at once', async () => {
    await using it = zdsFixture({ allow: () => false })
    const ztunnel = it.connect()
    expect(await ztunnel.next()).toBeUndefined()
    expect(it.log).toEqual([expect.stringMatching(/^warn ztunnel: Process \d+ of user \d+ cannot connect to /)])
  })

  test('leave no descriptors open after many rounds', async () => {
    await using it = zdsFixture()
    const web = it.pod('web')
    it.pods.set(web.uid, web)
    await joined(it).then((ztunnel) => ztunnel.connection.close())
    await it.live(0)
    const before = descriptors()
    for (let round = 0; round < 10; round++) {
      const ztunnel = await joined(it)
      void ztunnel.obey()
      for (let count = 0; count < 100; count++) {
        await it.zds.add(web)
        await it.zds.remove(web.uid)
      }
      ztunnel.connection.close()
      await it.live(0)
    }
    await expect.poll(descriptors, eventually).toBe(before)
  })
})

test.each([
  ['before its hello', false],
  ['after its hello', true],
])('a flood of answers %s ends only its own connection', async (_, hello) => {
  await using it = zdsFixture(soon)
  const good = await joined(it)
  const told = good.obey()
  const flood = it.connect()
  if (hello) await flood.hello()
  const flooding = async () => {
    for (let count = 0; count < 10_000; count++) await flood.ack('flood')
  }
  await expect(flooding()).rejects.toMatchObject({ name: expect.stringMatching(/Error$/) })
  await it.live(1)
  await it.zds.add(it.pod('web'))
  await it.zds.close()
  expect(await told).toHaveLength(1)
})
