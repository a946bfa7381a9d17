// One post over a unix socket, in the runtime under test: post-once.ts SOCKET TIMEOUT_MS
import { postOverUnix } from '../src/http/unix-post.ts'

const [, , socket = '', timeoutMs = '0'] = process.argv
postOverUnix(socket, { path: '/log', body: '["a"]', timeoutMs: Number(timeoutMs) }).then(
  (answer) => process.stdout.write(JSON.stringify(answer)),
  (error: Error) => process.stdout.write(JSON.stringify({ problem: error.message })),
)
