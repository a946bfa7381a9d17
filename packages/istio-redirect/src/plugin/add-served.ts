import { existsSync } from 'node:fs'
import { VERSION } from '@cni/host/cli'
import type { AddAheadContext, AheadResult, LogSink } from '@cni/skel'
import { CniError } from '@cni/types'
import { inFolder } from '../in-folder.ts'
import { logFile } from '../log/log-file.ts'
import { type Answered, askAgent, type Unanswered } from '../serve/ask-agent.ts'
import type { ErrorAnswer, NamespaceFacts, ProgramAnswer, ServedError, SkipAnswer } from '../serve/protocol.ts'
import { serveRequest } from '../serve/request.ts'
import { SERVE_SOCKET } from '../serve/socket.ts'
import { commitFresh } from './commit-fresh.ts'
import { runDirOf } from './may-be-served.ts'
import { addressFacts } from './namespace-facts.ts'
import { type LaterTables, laterTables } from './open-tables.ts'

/**
 * Has the node agent decide, which knows the pod already, and does what it says: what takes longest, asking the API server
 * and making the rules, is then done. `undefined` where the agent does not answer or may not decide, or where what it
 * says cannot be done: then nothing has been changed.
 */
export async function addServed(c: AddAheadContext): Promise<AheadResult> {
  const runDir = runDirOf(c)
  if (runDir === undefined) return undefined
  // Nobody has checked the configuration yet.
  using tables = laterTables(c.netns, c.document.native_nftables === true)
  const asked = await ask(c, runDir, tables)
  if (asked.answer === undefined) return alone(c, asked.reason)
  const { answer } = asked
  if (answer.act === 'refused') {
    asked.close()
    return alone(c, answer.detail === undefined ? answer.reason : `${answer.reason}: ${answer.detail}`)
  }
  if (answer.act !== 'program') {
    takeLog(c, runDir, { asked, answer })
    if (answer.act === 'error') throw errorOf(answer.error)
    return 'pass-on'
  }
  const committed = await commitFresh(c, { ...answer, runDir, tables: tables.open() })
  if (committed === undefined) {
    asked.close()
    return alone(c, 'what the node agent says cannot be done here')
  }
  takeLog(c, runDir, { asked, answer })
  await committed.finish()
  return 'pass-on'
}

// internal

function ask(c: AddAheadContext, runDir: string, tables: LaterTables): Promise<Answered | Unanswered> {
  const request = serveRequest(c.env, { version: VERSION, stdin: c.raw })
  // Where the namespace cannot be entered, the plugin says so on its own way as ever.
  const facts = (isAnswered: () => boolean) => factsOf(c, tables, isAnswered)
  return askAgent(inFolder(runDir, SERVE_SOCKET), { request, facts }, c)
}

/** `undefined` for one who has the answer before all of it is found: a pod outside the mesh does without nf_tables. */
async function factsOf(
  c: AddAheadContext,
  tables: LaterTables,
  isAnswered: () => boolean,
): Promise<NamespaceFacts | undefined> {
  const { netns } = c
  const addresses = await addressFacts(c)
  if (isAnswered()) return undefined
  const { backend, fresh } = tables.open()
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
function takeLog(c: AddAheadContext, runDir: string, { asked, answer }: LoggedAnswer): void {
  const { logLevel, lines } = answer
  const toAgent = logLevel !== undefined && existsSync(inFolder(runDir, 'log.sock'))
  if (!toAgent) asked.close()
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
