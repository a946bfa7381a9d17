import { existsSync } from 'node:fs'
import type { AddContext } from '@cni/skel'
import { askDaemon } from '@cni/skel/daemon'
import { CniError, messageOf, printable } from '@cni/types'
import { inFolder } from '../in-folder.ts'
import { ADD_PATH, type AddRequest, encodeRequest } from './add-request.ts'
import { MAX_ANSWER, readAnswer, type ServeAnswer } from './answer.ts'
import { SERVE_SOCKET } from './socket.ts'

/** Decision of the agent about an ADD, with the netlink batch that writes the rules. */
export type ServedDecision = Extract<ServeAnswer, { readonly act: 'skip' | 'redirect' }>

/**
 * Asks the node agent for a decision. Resolves to `undefined` if the agent does not decide.
 *
 * @throws CniError if the agent decides that the ADD fails.
 */
export async function askAgent(
  c: Pick<AddContext<unknown>, 'log' | 'signal'>,
  runDir: string,
  request: AddRequest,
): Promise<ServedDecision | undefined> {
  const socket = inFolder(runDir, SERVE_SOCKET)
  if (!existsSync(socket)) return undefined
  const question = { path: ADD_PATH, body: encodeRequest(request), maxBytes: MAX_ANSWER, signal: c.signal }
  const { answer, reason } = await askDaemon(socket, question)
  const said = answer === undefined ? reason : read(answer)
  if (typeof said === 'string' || said.act === 'refused') {
    c.log.debug('the node agent does not decide: the plugin does', { reason: wordsOf(said) })
    return undefined
  }
  for (const { level, message, fields } of said.log) c.log[level](message, fields)
  if (said.act !== 'error') return said
  const { code, msg, details, cause } = said.error
  throw new CniError(code, msg, { details, ...(cause === undefined ? {} : { cause: new Error(cause) }) })
}

// internal

function read(body: string): ServeAnswer | string {
  try {
    return readAnswer(body)
  } catch (error) {
    return messageOf(error)
  }
}

const wordsOf = (said: string | Extract<ServeAnswer, { act: 'refused' }>): string =>
  printable(typeof said === 'string' ? said : [said.reason, said.detail].filter(Boolean).join(': '))
