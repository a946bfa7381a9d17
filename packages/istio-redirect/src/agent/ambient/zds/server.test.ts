import { linkSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { listenUnix } from '@cni/netns/unix'
import { describe, expect, test } from 'vitest'
import { zdsFixture } from '../../../../test/zds/zds-fixture.ts'
import { startZds } from './server.ts'

const sent = { request: { type: 'snapshotSent' }, namespaces: [] }
const quiet = { debug() {}, info() {}, warn() {}, error() {} }
const mute = { path: '', snapshot: () => [], log: quiet }

describe('a ztunnel that connects', () => {
  test('gets the pods with their namespaces, then the end of the snapshot', async () => {
    await using it = zdsFixture()
    const web = it.pod('web')
    it.pods.set(web.uid, web)
    it.pods.set('kept', { uid: 'kept', workload: web.workload })
    const ztunnel = it.connect()
    expect(await ztunnel.join()).toEqual([
      { request: { type: 'add', uid: web.uid, workload: web.workload }, namespaces: [web.netns.ino] },
      { request: { type: 'keep', uid: 'kept' }, namespaces: [] },
      sent,
    ])
    await it.live(1)
    expect(it.zds.connections()).toEqual([{ id: 1, pid: process.pid, state: 'live', newest: true }])
    expect(it.leases()).toBe(0)
  })

  test('counts only after its hello and its snapshot', async () => {
    await using it = zdsFixture()
    const first = it.connect()
    await first.join()
    await it.live(1)
    const second = it.connect()
    await expect.poll(() => it.zds.connections().at(-1)?.state).toBe('greeting')
    const web = it.pod('web')
    const added = it.zds.add(web)
    expect(await first.next()).toMatchObject({ request: { uid: web.uid } })
    await first.ack()
    await added
    await second.join()
    await it.live(2)
    const other = it.zds.add(it.pod('other'))
    expect(await second.next()).toMatchObject({ request: { type: 'add', uid: 'uid-of-other' } })
    await second.ack()
    await other
    expect(it.events.filter(({ type }) => type === 'connections')).toEqual([
      { type: 'connections', connected: 1 },
      { type: 'connections', connected: 2 },
    ])
  })

  test('gets the changes during its snapshot afterwards, in order', async () => {
    await using it = zdsFixture()
    const [old, gone] = [it.pod('old'), it.pod('gone')]
    it.pods.set(old.uid, old).set(gone.uid, gone)
    const ztunnel = it.connect()
    await ztunnel.hello()
    await expect.poll(() => it.zds.connections()[0]?.state).toBe('snapshot')
    it.pods.delete(gone.uid)
    const removed = it.zds.remove(gone.uid)
    const fresh = it.pod('fresh')
    it.pods.set(fresh.uid, fresh)
    const added = it.zds.add(fresh)
    const told = []
    for (let left = 5; left > 0; left--) {
      told.push((await ztunnel.next())?.request)
      await ztunnel.ack()
    }
    await Promise.all([removed, added])
    expect(told).toMatchObject([
      { type: 'add', uid: old.uid },
      { type: 'add', uid: gone.uid },
      { type: 'snapshotSent' },
      { type: 'del', uid: gone.uid },
      { type: 'add', uid: fresh.uid },
    ])
  })

  test('and refuses a pod of the snapshot gets the other pods nevertheless', async () => {
    await using it = zdsFixture()
    for (const name of ['a', 'b']) it.pods.set(name, { ...it.pod(name), uid: name })
    const ztunnel = it.connect()
    await ztunnel.hello()
    await ztunnel.next()
    await ztunnel.ack('no\n\u001b[31mway')
    await ztunnel.next()
    await ztunnel.ack()
    expect(await ztunnel.next()).toEqual(sent)
    await ztunnel.ack()
    await it.live(1)
    expect(it.log.filter((line) => line.startsWith('warn'))).toEqual([
      `warn ztunnel (process ${process.pid}, connection 1) refused pod shop/a: no [31mway`,
    ])
  })

  test('gets no pod that it cannot read, and adding such a pod is refused', async () => {
    await using it = zdsFixture()
    const long = { ...it.pod('long'), workload: { name: 'n'.repeat(1000), namespace: 'shop', serviceAccount: '' } }
    const nameless = { ...it.pod('nameless'), uid: '' }
    it.pods.set('long', long).set('nameless', nameless)
    expect(await it.connect().join()).toEqual([sent])
    await expect(it.zds.add(long)).rejects.toMatchObject({ name: 'ZdsError', code: 'INVALID' })
    await expect(it.zds.add(nameless)).rejects.toMatchObject({ code: 'INVALID' })
    expect(it.log.filter((line) => line.startsWith('error'))).toHaveLength(2)
  })
})

describe('adding a pod', () => {
  test('fails at once without a ztunnel that has sent its hello', async () => {
    await using it = zdsFixture()
    await expect(it.zds.add(it.pod('web'))).rejects.toMatchObject({
      code: 'NO_ZTUNNEL',
      message: 'no ztunnel connected',
    })
    it.connect()
    await expect.poll(() => it.zds.connections()).toHaveLength(1)
    await expect(it.zds.add(it.pod('web'))).rejects.toMatchObject({ code: 'NO_ZTUNNEL' })
  })

  test('goes to the newest ztunnel, and its removal to all', async () => {
    await using it = zdsFixture()
    const [first, second] = [it.connect(), it.connect()]
    await first.join()
    await second.join()
    await it.live(2)
    const [byFirst, bySecond] = [first.obey(), second.obey()]
    const web = it.pod('web')
    it.pods.set(web.uid, web)
    await it.zds.add(web)
    it.pods.delete(web.uid)
    await it.zds.remove(web.uid)
    await it.zds.close()
    const del = { request: { type: 'del', uid: web.uid }, namespaces: [] }
    expect(await byFirst).toEqual([del])
    expect(await bySecond).toEqual([
      { request: { type: 'add', uid: web.uid, workload: web.workload }, namespaces: [web.netns.ino] },
      del,
    ])
  })

  test('goes to the next newest ztunnel after a disconnect, which also gets the pods that it lacks', async () => {
    await using it = zdsFixture()
    const [first, second] = [it.connect(), it.connect()]
    await first.join()
    await second.join()
    await it.live(2)
    const before: Awaited<ReturnType<typeof first.obey>> = []
    void first.obey(before)
    void second.obey()
    const web = it.pod('web')
    it.pods.set(web.uid, web)
    await it.zds.add(web)
    expect(before).toEqual([])
    second.connection.close()
    await it.live(1)
    await expect.poll(() => before).toMatchObject([{ request: { type: 'add', uid: web.uid } }])
    await it.zds.add(it.pod('other'))
    expect(before).toMatchObject([{ request: { uid: web.uid } }, { request: { uid: 'uid-of-other' } }])
  })

  test('is accepted again, also with another namespace', async () => {
    await using it = zdsFixture()
    const ztunnel = it.connect()
    await ztunnel.join()
    await it.live(1)
    const told = ztunnel.obey()
    const web = it.pod('web')
    await it.zds.add(web)
    await it.zds.add(web)
    const other = { ...web, netns: it.otherNamespace() }
    await it.zds.add(other)
    await it.zds.close()
    expect((await told).map(({ namespaces }) => namespaces)).toEqual([
      [web.netns.ino],
      [web.netns.ino],
      [other.netns.ino],
    ])
  })

  test("is refused with ztunnel's message, and the next pod is not affected", async () => {
    await using it = zdsFixture()
    const ztunnel = it.connect()
    await ztunnel.join()
    await it.live(1)
    const [one, two] = [it.zds.add(it.pod('one')), it.zds.add(it.pod('two'))]
    await ztunnel.next()
    await ztunnel.ack('no way')
    await expect(one).rejects.toMatchObject({ code: 'REFUSED', message: 'got ack error: no way' })
    await ztunnel.next()
    await ztunnel.ack()
    await two
  })

  test('can be aborted before and after the request is sent', async () => {
    await using it = zdsFixture()
    const ztunnel = it.connect()
    await ztunnel.join()
    await it.live(1)
    const control = new AbortController()
    const { signal } = control
    const said = it.zds.add(it.pod('said'), { signal })
    const unsaid = it.zds.add(it.pod('unsaid'), { signal })
    await ztunnel.next()
    control.abort(new Error('enough'))
    await expect(said).rejects.toThrow('enough')
    await expect(unsaid).rejects.toThrow('enough')
    await expect(it.zds.add(it.pod('never'), { signal })).rejects.toThrow('enough')
    const last = it.zds.add(it.pod('last'))
    await ztunnel.ack('of the aborted one')
    expect(await ztunnel.next()).toMatchObject({ request: { uid: 'uid-of-last' } })
    await ztunnel.ack()
    await last
  })

  test('fails if the namespace is closed, and ztunnel gets no message', async () => {
    await using it = zdsFixture()
    const ztunnel = it.connect()
    await ztunnel.join()
    await it.live(1)
    const closed = it.pod('closed')
    closed.netns.close()
    await expect(it.zds.add(closed)).rejects.toMatchObject({ name: 'NetnsError', code: 'CLOSED' })
    const told = ztunnel.obey()
    await it.zds.add(it.pod('open'))
    await it.zds.close()
    expect(await told).toMatchObject([{ request: { uid: 'uid-of-open' } }])
  })
})

/** Binds a socket and leaves its file, like an agent that was killed. */
const abandon = (path: string) => {
  const listener = listenUnix(`${path}-bound`, { onConnection: () => {}, onError: () => {} })
  linkSync(listener.path, path)
  listener.close()
}

describe('the socket', () => {
  test.each([
    ['a file', (path: string) => writeFileSync(path, '')],
    ['a link to nothing', (path: string) => symlinkSync('/nonexistent', path)],
    ['the socket of an agent that was killed', (path: string) => abandon(path)],
  ])('replaces %s', async (_, make) => {
    await using it = zdsFixture()
    const path = `${it.path}-2`
    make(path)
    await using zds = startZds({ ...mute, path, allow: () => true })
    expect(zds.connections()).toEqual([])
    await zds.close()
    expect(readdirSync(dirname(path))).toEqual(['ztunnel.sock'])
  })

  test.each([
    ['an existing folder', (path: string) => mkdirSync(path), '', 'EXISTS'],
    ['a missing folder', () => {}, '/none/there', 'ENOENT'],
  ])('cannot be created for %s', async (_, make, below, code) => {
    await using it = zdsFixture()
    const path = `${it.path}-2`
    make(path)
    expect(() => startZds({ ...mute, path: path + below })).toThrow(
      expect.objectContaining({ name: 'NetnsError', code }),
    )
  })

  test('needs a path', () => {
    expect(() => startZds(mute)).toThrow(/Invalid path for a unix socket: "": it is empty/)
  })

  test('is removed by close, which may be called twice and rejects waiting requests', async () => {
    await using it = zdsFixture()
    const ztunnel = it.connect()
    await ztunnel.join()
    await it.live(1)
    const [asked, waits] = [it.zds.add(it.pod('web')), it.zds.add(it.pod('other'))]
    const removed = it.zds.remove('third')
    await ztunnel.next()
    await it.zds.close()
    await it.zds.close()
    for (const each of [asked, waits]) await expect(each).rejects.toMatchObject({ code: 'CLOSED' })
    await removed
    expect(readdirSync(dirname(it.path))).toEqual([])
    expect(await ztunnel.next()).toBeUndefined()
  })
})
