// Test script that sends one request over a unix socket, in the JavaScript runtime under test: ask-once.ts SOCKET
// TIMEOUT_MS
import { askDaemon } from '../src/daemon/ask-daemon.ts'

const [, , socket = '', timeoutMs = '0'] = process.argv
const limitMs = Number(timeoutMs)
const { signal } = new AbortController()
const question = { path: '/log', body: '["a"]', begunWithin: limitMs, within: limitMs, maxBytes: 1024 * 1024, signal }
process.stdout.write(JSON.stringify(await askDaemon(socket, question)))
