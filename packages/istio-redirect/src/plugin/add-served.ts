import { existsSync } from 'node:fs'
import { VERSION } from '@cni/host/cli'
import type { AddAheadContext, AheadResult, LogSink } from '@cni/skel'
import { CniError } from '@cni/types'
import { inFolder } from '../in-folder.ts'
import { type Answered, askAgent, type Unanswered } from '../serve/ask-agent.ts'
import type { ErrorAnswer, NamespaceFacts, ProgramAnswer, ServedError, SkipAnswer } from '../serve/protocol.ts'
import { serveRequest } from '../serve/request.ts'
import { SERVE_SOCKET } from '../serve/socket.ts'
import { runDirOf } from './may-be-served.ts'
import { addressFacts } from './namespace-facts.ts'
import type { ServedTables } from './open-tables.ts'

/**
 * Has the node agent decide, which knows the pod already, and does what it says: what takes longest, asking the API server
 * and making the rules, is then done. `undefined` where the agent does not answer or may not decide, or where what it
 * says cannot be done: then nothing has been changed.
 */
export async function addServed(c: AddAheadContext): Promise<AheadResult> {
  const runDir = runDirOf(c)
  if (runDir === undefined) return undefined
  const tables = loadedTables(c)
  // No `using`: what it is compiled to takes 20 µs.
  try {
    return await servedBy(c, runDir, tables)
  } finally {
    tables[Symbol.dispose]()
  }
}

// internal

async function servedBy(c: AddAheadContext, runDir: string, tables: LoadedTables): Promise<AheadResult> {
  const asked = await ask(c, runDir, tables)
  if (asked.answer === undefined) return alone(c, asked.reason)
  const { answer } = asked
  if (answer.act === 'refused') {
    asked.close()
    return alone(c, answer.detail === undefined ? answer.reason : `${answer.reason}: ${answer.detail}`)
  }
  if (answer.act !== 'program') {
    await takeLog(c, runDir, { asked, answer })
    if (answer.act === 'error') throw errorOf(answer.error)
    return 'pass-on'
  }
  const { commitFresh } = await committing()
  const committed = await commitFresh(c, { ...answer, runDir, tables: await tables.open() })
  if (committed === undefined) {
    asked.close()
    return alone(c, 'what the node agent says cannot be done here')
  }
  await takeLog(c, runDir, { asked, answer })
  await committed.finish()
  return 'pass-on'
}

/** Loaded while the agent has something to do, as all that the question does without. */
const committing = () => import('./commit-fresh.ts')

/** What rules would go to, opened when somebody needs it. */
interface LoadedTables extends Disposable {
  open(): Promise<ServedTables>
}

function loadedTables({ netns, document }: AddAheadContext): LoadedTables {
  let opened: ServedTables | undefined
  return {
    async open() {
      const { openTables } = await import('./open-tables.ts')
      // Nobody has checked the configuration yet.
      opened ??= openTables(netns, document.native_nftables === true)
      return opened
    },
    [Symbol.dispose]: () => opened?.[Symbol.dispose](),
  }
}

function ask(c: AddAheadContext, runDir: string, tables: LoadedTables): Promise<Answered | Unanswered> {
  const request = serveRequest(c.env, { version: VERSION, stdin: c.raw })
  // Where the namespace cannot be entered, the plugin says so on its own way as ever.
  const facts = (isAnswered: () => boolean) => factsOf(c, tables, isAnswered)
  return askAgent(inFolder(runDir, SERVE_SOCKET), { request, facts, meanwhile: committing }, c)
}

/** `undefined` for one who has the answer before all of it is found: a pod outside the mesh does without nf_tables. */
async function factsOf(
  c: AddAheadContext,
  tables: LoadedTables,
  isAnswered: () => boolean,
): Promise<NamespaceFacts | undefined> {
  const { netns } = c
  const addresses = await addressFacts(c)
  if (isAnswered()) return undefined
  const { backend, fresh } = await tables.open()
  return {
    netns: { dev: Number(netns.dev), ino: Number(netns.ino) },
    backend,
    fresh,
    ...addresses,
  }
}

function alone(c: AddAheadContext, reason: string): undefined {
  c.log.debug('the node agent does not decide: the plugin does', { reason })
}

interface LoggedAnswer {
  readonly asked: Answered
  readonly answer: SkipAnswer | ErrorAnswer | ProgramAnswer
}

/** From here on the log is as the configuration says, with what the plugin would have logged itself. */
async function takeLog(c: AddAheadContext, runDir: string, { asked, answer }: LoggedAnswer): Promise<void> {
  const { logLevel, lines } = answer
  const toAgent = logLevel !== undefined && existsSync(inFolder(runDir, 'log.sock'))
  if (!toAgent) asked.close()
  const { logFile } = await import('../log/log-file.ts')
  const sinks = logLevel === undefined ? [] : [...(toAgent ? [linesTo(asked)] : []), logFile(runDir)]
  c.openLog({ level: logLevel ?? 'info', sinks })
  for (const { level, message, fields } of lines) c.log[level](message, fields)
}

/** The agent gets them over the connection that it has answered on. */
function linesTo(asked: Answered): LogSink {
  const lines: string[] = []
  return {
    write: (line) => void lines.push(line),
    flush: async () => asked.tell(lines),
  }
}

function errorOf({ code, msg, details, cause }: ServedError): CniError {
  return new CniError(code, msg, { details, ...(cause === undefined ? {} : { cause: new Error(cause) }) })
}
