import { chmodSync, mkdirSync, rmSync, statSync } from 'node:fs'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { dirname } from 'node:path'

const FAILURE = { result: 1, errmsg: 'Error creating EP', errinfo: 'Err: no more addresses' }

/** Faults that the stand-in for the Contiv daemon can simulate: an HTTP status with a body, or another behaviour. */
const FAULTS = {
  '500 with JSON': [500, JSON.stringify(FAILURE)],
  '500 without result': [500, '{}'],
  '500 with text': [500, 'panic: runtime error'],
  '403': [403, '<html>'],
  '404': [404, '<html>'],
  '400': [400, '<html>'],
  'result with 200': [200, JSON.stringify({ ...FAILURE, result: 42 })],
  'text with 200': [200, 'OK'],
  'bad ip': [200, '{"endpointid":"x","ipaddress":"44.55.66.777/22"}'],
  'bad ipv6': [200, '{"endpointid":"x","ipaddress":"44.55.66.77/22","ipv6address":"44.55.66.78/22"}'],
  'no ip': [200, '{"endpointid":"x"}'],
  hang: 'hang',
  reset: 'reset',
} as const

/** Name of a fault that the stand-in for the Contiv daemon simulates. */
export type Fault = keyof typeof FAULTS

/** A request that the stand-in for the Contiv daemon has received. */
export interface Recorded {
  readonly method: string
  readonly url: string
  readonly contentType: string | undefined
  readonly body: string
  /** Inode number of the network namespace that the request's `CNI_NETNS` named when the request arrived. */
  readonly netnsInode: bigint | undefined
}

interface Endpoint {
  readonly ipaddress: string
  readonly ipv6address?: string
}

/** A stand-in for the Contiv daemon in tests. It has the daemon's protocol but creates no network. */
export interface StandIn extends AsyncDisposable {
  readonly socket: string
  readonly requests: readonly Recorded[]
  /** Endpoints that requests have created and not deleted, by the container id of the pod's sandbox. */
  readonly endpoints: ReadonlyMap<string, Endpoint>
  fault: Fault | undefined
}

interface StandInOptions {
  readonly socket: string
  readonly dualStack?: boolean
  readonly fault?: Fault
}

type Pod = Readonly<Record<string, unknown>>

/** Starts a stand-in for the Contiv daemon, which gives consecutive addresses to pods. */
export async function startStandIn({ socket, dualStack = false, fault }: StandInOptions): Promise<StandIn> {
  mkdirSync(dirname(socket), { recursive: true })
  chmodSync(dirname(socket), 0o700)
  rmSync(socket, { force: true })
  const requests: Recorded[] = []
  const endpoints = new Map<string, Endpoint>()
  let next = 77

  const addPod = (pod: Pod): { status: number; json: object } => {
    const id = textOf(pod.K8S_POD_INFRA_CONTAINER_ID)
    if (!textOf(pod.K8S_POD_NAME) || !textOf(pod.K8S_POD_NAMESPACE)) return failed('Error getting labels', 'no pod')
    if (id === '' || endpoints.has(id)) return failed('Error creating EP', id === '' ? 'no id' : 'EP exists')
    if (!/^\/proc\/\d+\//.test(textOf(pod.CNI_NETNS))) return failed('Error moving to netns', 'no process id')
    if (!textOf(pod.CNI_IFNAME)) return failed('Error setting interface attributes', 'no name')
    const endpoint = {
      ipaddress: `44.55.66.${next}/22`,
      ...(dualStack ? { ipv6address: `2016:430::${next}/100` } : {}),
    }
    next += 1
    endpoints.set(id, endpoint)
    return { status: 200, json: { endpointid: id, ...endpoint } }
  }
  const delPod = (pod: Pod): { status: number; json: object } => {
    const id = textOf(pod.K8S_POD_INFRA_CONTAINER_ID)
    endpoints.delete(id)
    return { status: 200, json: id === '' ? {} : { endpointid: id } }
  }

  const standIn = { socket, requests, endpoints, fault }
  const serve = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const body = await bodyOf(request)
    const { method = '', url = '' } = request
    const contentType = request.headers['content-type']
    const pod = parsed(body)
    requests.push({ method, url, contentType, body, netnsInode: inodeOf(textOf(pod?.CNI_NETNS)) })
    if (standIn.fault !== undefined) return misbehave(standIn.fault, request, response)
    const handler = { '/ContivCNI.AddPod': addPod, '/ContivCNI.DelPod': delPod }[url]
    if (handler === undefined || method !== 'POST' || contentType !== 'application/json') {
      return void response.writeHead(404, { 'content-type': 'text/plain' }).end('404 page not found\n')
    }
    const { status, json } = pod === undefined ? { status: 500, json: {} } : handler(pod)
    sendJson(response, status, json)
  }

  const server = createServer((request, response) => void serve(request, response))
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(socket, resolve))
  return Object.assign(standIn, {
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise<void>((resolve) => server.close(() => resolve()))
    },
  })
}

function misbehave(fault: Fault, request: IncomingMessage, response: ServerResponse): void {
  const what = FAULTS[fault]
  if (what === 'reset') request.socket.destroy()
  else if (what !== 'hang') response.writeHead(what[0]).end(what[1])
}

function failed(errmsg: string, cause: string): { status: number; json: object } {
  return { status: 500, json: { result: 1, errmsg, errinfo: `Err: ${cause}` } }
}

function sendJson(response: ServerResponse, status: number, json: object): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(`${JSON.stringify(json)}\n`)
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  let body = ''
  for await (const chunk of request.setEncoding('utf8')) body += chunk
  return body
}

function parsed(body: string): Pod | undefined {
  try {
    return JSON.parse(body) as Pod
  } catch {
    // The caller answers a request with invalid JSON with status 500, as the original daemon does.
    return undefined
  }
}

function inodeOf(path: string): bigint | undefined {
  return statSync(path, { bigint: true, throwIfNoEntry: false })?.ino
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : ''
}
