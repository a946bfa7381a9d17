import { chmodSync, mkdirSync, writeFileSync } from 'node:fs'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { createServer } from 'node:https'
import type { AddressInfo, Socket } from 'node:net'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { setTimeout as delay } from 'node:timers/promises'
import { type NetnsTarget, netns } from '@cni/netns'
import { answer, type Watched } from './answer.ts'
import { type Certificate, createAuthority } from './certificate.ts'
import type { Grant } from './grant.ts'
import { kubeconfigText } from './kubeconfig-text.ts'
import { objectStore, type StoredNamespace, type StoredObject } from './object-store.ts'
import { bookmark, watchObjects } from './object-watch.ts'
import { serviceAccounts } from './service-accounts.ts'
import { type Answer, otherFailure } from './status.ts'
import type { StoredPod } from './stored-pod.ts'

/** Irregular reaction of the server to one request. */
export interface Misbehaviour {
  /** Waits for a request with this method; other requests get their regular answer. */
  readonly method?: string
  /** Answers with this status and the matching Status object. */
  readonly status?: number
  readonly headers?: Readonly<Record<string, string>>
  /** Answers with these bytes. */
  readonly body?: string
  /** Begins an answer with status 200 and these bytes, then cuts the connection. */
  readonly partial?: string
  /** Sends an endless answer. */
  readonly endless?: boolean
  /** Accepts the request and never answers. */
  readonly hang?: boolean
  /** Cuts the connection without an answer. */
  readonly cut?: boolean
  /** Milliseconds before this reaction, or before the regular answer. */
  readonly delayMs?: number
}

/** Options of {@link startApiServer}. */
export interface ApiServerOptions {
  readonly pods?: readonly StoredPod[]
  /** Labels by namespace name. The namespaces of all pods exist anyway. */
  readonly namespaces?: Readonly<Record<string, Readonly<Record<string, string>>>>
  readonly token?: string
  /**
   * Further permissions of the token, such as `repairGrants` and `ambientGrants`. It may always get pods and
   * namespaces.
   */
  readonly grants?: readonly Grant[]
  readonly host?: string
  /** Network namespace in which the server listens on all addresses. Default: this process's own, on `host`. */
  readonly netns?: NetnsTarget
  readonly port?: number
  /** Certificate of the server. Default: issued by the server's own authority. */
  readonly certificate?: Certificate
  /** Milliseconds before every answer. */
  readonly latencyMs?: number
}

/** A running API server; `await using` stops it. */
export interface ApiServer extends AsyncDisposable {
  /** URL of the form `https://host:port`. */
  readonly url: string
  /** Authority of the server's certificate, as PEM text. */
  readonly ca: string
  /** The only valid token. Assign a new one to rotate it. */
  token: string
  /** All received requests. */
  readonly requests: readonly {
    readonly method: string
    readonly url: string
    readonly headers: IncomingMessage['headers']
    readonly body: string
  }[]
  /** Adds or changes a pod, and notifies watches. */
  setPod(pod: StoredPod): void
  getPod(namespace: string, name: string): StoredPod | undefined
  deletePod(namespace: string, name: string): void
  /** Sets the labels of a namespace, which it creates if needed, and notifies watches. */
  setNamespace(name: string, labels: Readonly<Record<string, string>>): void
  deleteNamespace(name: string): void
  /**
   * Creates or changes a DaemonSet; removes it without a document. `podSpec` has members of its pods' specification.
   */
  setDaemonSet(
    namespace: string,
    name: string,
    document?: {
      readonly metadata?: Readonly<Record<string, unknown>>
      readonly podSpec?: Readonly<Record<string, unknown>>
    },
  ): void
  /** Sets the labels and other members of a node, which it creates if needed. */
  setNode(name: string, labels: Readonly<Record<string, string>>, more?: { spec?: object; status?: object }): void
  /**
   * Creates a service account, for which tokens can then be requested. They are valid for the requested time, or for
   * `lifeSeconds`.
   * A second call invalidates earlier tokens.
   */
  setServiceAccount(namespace: string, name: string, lifeSeconds?: number): void
  /** Written events. */
  events(): Readonly<Record<string, unknown>>[]
  /** Number of open watches. */
  watches(): number
  /** Sends a bookmark with the current version to all watches. */
  bookmark(): void
  /** Sends a raw text to all watches. */
  say(text: string): void
  /** Cuts all connections. */
  cutAll(): void
  /** Forgets all changes: older watches get 410. */
  compact(): void
  /** Queues irregular reactions, one for each of the next requests. */
  misbehave(...next: readonly Misbehaviour[]): void
  /** Removes all queued reactions of {@link misbehave}. */
  behave(): void
  /** A kubeconfig for this server with its current token. */
  kubeconfig(): string
  /** Writes {@link kubeconfig} to `<runDir>/istio-cni-kubeconfig`, where the plugin reads it, and returns the path. */
  writeKubeconfig(runDir: string): string
  close(): Promise<void>
}

/**
 * Starts a small Kubernetes API server over TLS, with its own authority and a bearer token.
 * It serves pods, namespaces, events, DaemonSets, nodes and tokens of service accounts, with lists and watches.
 * Its errors are Status objects with 401, 403, 404 and 409, as from a real server. Tests can make it misbehave.
 *
 * @example
 * await using api = await startApiServer({ pods: [meshPod({ name: 'web', namespace: 'demo' })] })
 * api.writeKubeconfig('/run/istio-cni')
 */
export async function startApiServer(options: ApiServerOptions = {}): Promise<ApiServer> {
  const { host = '127.0.0.1' } = options
  const namespaces = objectStore<StoredNamespace>('Namespace')
  const authority = createAuthority('istio-redirect-test-ca')
  const identity = options.certificate ?? authority.issue('kube-apiserver', [...new Set(['localhost', host])])
  const pods = objectStore<StoredPod>('Pod')
  const events = new Map<string, Answer>()
  const daemonSets = new Map<string, Answer>()
  const nodes = new Map<string, Answer>()
  const accounts = serviceAccounts()
  const grants = new Set(options.grants)
  const world = { pods, namespaces, events, daemonSets, nodes, serviceAccounts: accounts, grants }
  const watches = new Map<ServerResponse, Watched>()
  const requests: ApiServer['requests'][number][] = []
  const queue: Misbehaviour[] = []
  const sockets = new Set<Socket>()

  const api: Omit<ApiServer, 'url'> = {
    ca: authority.cert,
    token: options.token ?? 'test-token',
    requests,
    setPod(pod) {
      const { namespace } = pod.metadata
      if (namespaces.get('', namespace) === undefined) api.setNamespace(namespace, {})
      pods.set(pod)
    },
    getPod: (namespace, name) => pods.get(namespace, name),
    deletePod: (namespace, name) => void pods.delete(namespace, name),
    events: () => [...events.values()],
    watches: () => watches.size,
    bookmark() {
      for (const [response, store] of watches) response.write(bookmark<StoredObject>(store))
    },
    say(text) {
      for (const response of watches.keys()) response.write(text)
    },
    cutAll() {
      for (const socket of sockets) socket.destroy()
    },
    compact() {
      pods.compact()
      namespaces.compact()
    },
    setNamespace: (name, labels) =>
      void namespaces.set({ apiVersion: 'v1', kind: 'Namespace', metadata: { name, labels } }),
    deleteNamespace: (name) => void namespaces.delete('', name),
    setDaemonSet(namespace, name, document) {
      const key = `${namespace}/${name}`
      if (document === undefined) return void daemonSets.delete(key)
      const metadata = { name, namespace, ...document.metadata }
      const spec = { template: { spec: document.podSpec ?? {} } }
      daemonSets.set(key, { apiVersion: 'apps/v1', kind: 'DaemonSet', metadata, spec })
    },
    setNode: (name, labels, more) =>
      void nodes.set(name, { apiVersion: 'v1', kind: 'Node', metadata: { name, labels }, ...more }),
    setServiceAccount: (namespace, name, lifeSeconds) => accounts.set(namespace, name, lifeSeconds),
    misbehave: (...next) => void queue.push(...next),
    behave: () => void queue.splice(0),
    kubeconfig: () => kubeconfigText({ server: url, ca: authority.cert, token: api.token }),
    writeKubeconfig(runDir) {
      const path = join(runDir, 'istio-cni-kubeconfig')
      mkdirSync(runDir, { recursive: true })
      writeFileSync(path, api.kubeconfig(), { mode: 0o600 })
      chmodSync(path, 0o600)
      return path
    },
    close: () =>
      new Promise((resolve) => {
        for (const socket of sockets) socket.destroy()
        server.close(() => resolve())
      }),
    [Symbol.asyncDispose]: () => api.close(),
  }
  for (const [name, labels] of Object.entries(options.namespaces ?? {})) api.setNamespace(name, labels)
  for (const pod of options.pods ?? []) api.setPod(pod)

  const server = createServer({ cert: identity.cert, key: identity.key }, (request, response) => {
    const { method = '', url = '', headers } = request
    const next = queue.findIndex((each) => each.method === undefined || each.method === method)
    const [misbehaviour = {}] = next === -1 ? [] : queue.splice(next, 1)
    const ordinary = (body: string): void => {
      const { authorization } = headers
      const said = answer({ method, url, authorization, body }, { token: api.token, ...world })
      if (!('kind' in said)) {
        send(response, ...said)
        return
      }
      watches.set(response, said)
      response.once('close', () => watches.delete(response))
      watchObjects<StoredObject>(response, said, new URL(url, 'https://server').searchParams)
    }
    text(request)
      .then(async (body) => {
        requests.push({ method, url, headers, body })
        await delay(misbehaviour.delayMs ?? options.latencyMs ?? 0)
        treat(response, misbehaviour, () => ordinary(body))
      })
      .catch(() => response.destroy())
  })
  server.on('connection', (socket) => {
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
  })
  // Ignores clients that do not trust the certificate, as in many tests.
  server.on('tlsClientError', () => {})
  const port = await new Promise<number>((resolve, reject) => {
    server.once('error', reject)
    const listening = (): void => resolve((server.address() as AddressInfo).port)
    // Node resolves a given host first and binds later, when the thread has left the namespace.
    if (options.netns === undefined) server.listen(options.port ?? 0, host, listening)
    else netns.run(options.netns, () => void server.listen(options.port ?? 0, listening))
  })
  const url = `https://${host.includes(':') ? `[${host}]` : host}:${port}`
  return Object.assign(api, { url })
}

function treat(response: ServerResponse, how: Misbehaviour, ordinary: () => void): void {
  if (how.hang === true) return
  if (how.cut === true) return void response.destroy()
  if (how.endless === true) return void flood(response)
  if (how.partial !== undefined) return void response.writeHead(200).write(how.partial, () => response.destroy())
  const { status = 200 } = how
  if (how.status === undefined && how.body === undefined && how.headers === undefined) ordinary()
  else send(response, status, how.body ?? otherFailure(status), how.headers)
}

function send(response: ServerResponse, code: number, what: Answer | string, headers = {}): void {
  response.writeHead(code, { 'content-type': 'application/json', ...headers })
  response.end(typeof what === 'string' ? what : `${JSON.stringify(what)}\n`)
}

function flood(response: ServerResponse): void {
  response.writeHead(200, { 'content-type': 'application/json' })
  const chunk = Buffer.alloc(64 * 1024, ' ')
  const more = (): void => {
    while (!response.destroyed && response.write(chunk));
  }
  response.on('drain', more)
  more()
}
