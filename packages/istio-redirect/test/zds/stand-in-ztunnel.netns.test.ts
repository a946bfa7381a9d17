import { describe, expect, test } from 'vitest'
import type { ZtunnelBehaviour } from '../../src/testing/node/ztunnel/behaviour.ts'
import { startZtunnel } from '../../src/testing/node/ztunnel/ztunnel.ts'
import { rawAgent } from './raw-agent.ts'
import { del, snapshotSent, ztunnelMessages } from './ztunnel-messages.suite.ts'

ztunnelMessages('a stand-in for ztunnel', async (path) => {
  const ztunnel = startZtunnel({ path })
  return {
    ready: async () => ztunnel.ready,
    pods: async () =>
      [...ztunnel.pods.values()].flatMap(({ uid, problem }) => (problem === undefined ? [uid] : [])).toSorted(),
    stop: ztunnel.stop,
    kill: ztunnel.kill,
    ended: ztunnel.ended,
    [Symbol.asyncDispose]: ztunnel[Symbol.asyncDispose],
  }
})

/** A connected stand-in without pods. */
async function connected(behaviour: ZtunnelBehaviour) {
  const stack = new AsyncDisposableStack()
  const agent = stack.use(rawAgent())
  const ztunnel = stack.use(startZtunnel({ path: agent.path, behaviour }))
  const connection = await agent.accepted()
  return { ztunnel, connection, [Symbol.asyncDispose]: () => stack.disposeAsync() }
}

describe('a stand-in with a fault', () => {
  const told: readonly (readonly [string, ZtunnelBehaviour, readonly (string | undefined)[]])[] = [
    ['refuses in the words it was given', { refuse: 'no way' }, ['no way']],
    ['says it twice', { answer: 'twice' }, ['', '']],
    ['leaves instead of answering', { answer: 'close' }, [undefined]],
    ['is late', { lateMs: 50 }, ['']],
  ]
  test.each(told)('%s', async (_, behaviour, answers) => {
    await using it = await connected(behaviour)
    expect(await it.connection.ask(snapshotSent)).toBe('')
    const said = [await it.connection.ask(del('web'))]
    while (said.length < answers.length) said.push(await it.connection.answer())
    expect(said).toEqual(answers)
  })

  test('does not answer, and later answers in time again', async () => {
    await using it = await connected({ answer: 'never' })
    expect(await it.connection.ask(snapshotSent)).toBe('')
    await it.connection.say(del('one'))
    await expect.poll(() => it.ztunnel.heard, { timeout: 20_000 }).toContain('del one')
    it.ztunnel.behave({})
    expect(await it.connection.ask(del('two'))).toBe('')
    await it.ztunnel.stop()
    expect(await it.connection.hear()).toBeUndefined()
  })

  test('sends an invalid answer, or floods the agent', async () => {
    await using it = await connected({ answer: 'junk', fromStart: true })
    await expect(it.connection.ask(snapshotSent)).rejects.toThrow(/the message ends/)
    it.ztunnel.behave({ answer: 'flood', fromStart: true })
    let answers = 0
    for (let said = await it.connection.ask(del('web')); said === '' && answers < 10_000; answers += 1) {
      said = await it.connection.answer()
    }
    expect(answers).toBe(10_000)
  })
})
