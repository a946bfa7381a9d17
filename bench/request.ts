// Program that sends one authorised request over TLS. Arguments: URL CA-FILE TOKEN
import { readFileSync } from 'node:fs'

const [, , url = '', ca = '', token = ''] = process.argv
// bun's fetch has the additional option `tls`, which other runtimes do not know
const init: RequestInit & { readonly tls: object } = {
  tls: { ca: readFileSync(ca, 'utf8') },
  headers: { authorization: `Bearer ${token}` },
}
fetch(url, init).then(
  async (answer) => {
    await answer.text()
    process.exit(answer.ok ? 0 : 1)
  },
  () => process.exit(1),
)
