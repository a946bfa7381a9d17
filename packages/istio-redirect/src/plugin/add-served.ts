import { VERSION } from '@cni/host/cli'
import type { Netns } from '@cni/netns/handle'
import type { AddAheadContext, AheadResult } from '@cni/skel'
import { inFolder } from '../in-folder.ts'
import { type Answered, askAgent } from '../serve/ask-agent.ts'
import type { AnsweredCall } from '../serve/is-for-call.ts'
import type { NamespaceFacts } from '../serve/protocol.ts'
import { serveRequest } from '../serve/request.ts'
import { servedLines } from '../serve/served-lines.ts'
import { SERVE_SOCKET } from '../serve/socket.ts'
import { runDirOf } from './may-be-served.ts'
import { addressFacts } from './namespace-facts.ts'
import type { ServedTables } from './open-tables.ts'

/**
 * Has the node agent decide, which knows the pod already, and does what it says: what takes longest, asking the API server
 * and making the rules, is then done, and what is to be recorded, logged and printed is written. `undefined` where the agent
 * does not answer or may not decide, or where what it says cannot be done: then nothing has been changed.
 */
export async function addServed(c: AddAheadContext): Promise<AheadResult> {
  const runDir = runDirOf(c.document)
  if (runDir === undefined) return undefined
  let tables: ServedTables | undefined
  // Where the namespace cannot be entered, the plugin says so on its own way as ever.
  const facts = async (isAnswered: () => boolean): Promise<NamespaceFacts | undefined> => {
    const netns = c.openNetns()
    const addresses = await addressFacts(netns, c)
    // A pod outside the mesh does without nf_tables.
    if (isAnswered()) return undefined
    const { openTables } = await import('./open-tables.ts')
    tables = openTables(netns, c.document.native_nftables === true)
    const { backend, fresh, generation } = tables
    return { netns: { dev: Number(netns.dev), ino: Number(netns.ino) }, backend, fresh, generation, ...addresses }
  }
  const request = serveRequest(c.env, { version: VERSION, stdin: c.raw })
  // No `using`: what it is compiled to takes 20 µs.
  try {
    const asked = await askAgent(inFolder(runDir, SERVE_SOCKET), { request, facts, meanwhile: committing }, c)
    if (asked.answer === undefined) return alone(c, asked.reason)
    try {
      return await doneAs(asked, c, { runDir, tables })
    } finally {
      asked.close()
    }
  } finally {
    tables?.[Symbol.dispose]()
  }
}

// internal

/** Loaded while the agent has something to do, as all that the question does without. */
const committing = () => import('./commit-fresh.ts')

async function doneAs(asked: Answered, c: AddAheadContext, { runDir, tables }: Place): Promise<AheadResult> {
  const { answer } = asked
  if (answer.act === 'refused') {
    return alone(c, answer.detail === undefined ? answer.reason : `${answer.reason}: ${answer.detail}`)
  }
  let ms = 0
  try {
    if (answer.act === 'error') throw (await import('./served-failure.ts')).servedError(answer.error)
    if (answer.act === 'program') {
      const netns = c.openNetns()
      const place = tables && { netns, runDir, tables, undo: c.undo }
      const { commitFresh, isForCall } = await committing()
      if (place === undefined || !isForCall(answer, callOf(c, netns, place.tables))) return alone(c, NOT_FOR_CALL)
      const committed = await commitFresh(answer, place)
      if (committed === undefined) return alone(c, 'what the node agent says cannot be done here')
      await committed.finish()
      ms = committed.ms
    }
    const lines = servedLines(answer.log, ms)
    // The agent prints them, and writes them to the file.
    if (!asked.done(ms)) (await import('./served-failure.ts')).toFile(lines, runDir)
    if (lines.length > 0) c.stderr(lines.join(''))
    return answer.stdout
  } catch (error) {
    throw (await import('./served-failure.ts')).failed(error, c, { runDir, answer })
  }
}

interface Place {
  readonly runDir: string
  readonly tables: ServedTables | undefined
}

const NOT_FOR_CALL = 'the answer of the node agent is not for this call'

const callOf = ({ env, document }: AddAheadContext, { dev, ino }: Netns, { backend }: ServedTables): AnsweredCall => ({
  key: {
    network: String(document.name),
    containerID: env.CNI_CONTAINERID ?? '',
    ifName: env.CNI_IFNAME ?? '',
  },
  netns: { dev: Number(dev), ino: Number(ino) },
  backend,
})

function alone(c: AddAheadContext, reason: string): undefined {
  c.note('debug', 'the node agent does not decide: the plugin does', { reason })
}
