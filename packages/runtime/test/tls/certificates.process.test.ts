import { createAuthority } from '@cni/kube/testing'
import { describe, expect, it } from 'vitest'
import { times } from '../../../../test/deep.ts'
import { both, isBuilt, NOT_BUILT } from '../same.ts'

const NAMES = ['simple', 'Ärger & Söhne', 'a,b+c"d\\e<f>g;h', ' space ', '#hash', 'control\u0001\n\u007f', '日本', '']

describe.skipIf(!isBuilt)(`Certificates are read as by Node (${NOT_BUILT})`, () => {
  it('names, damaged texts and truncated texts', async () => {
    using program = await both('certificates')
    const texts = [
      ...NAMES.map((name) => createAuthority(name).cert),
      createAuthority('root')
        .issueAuthority('middle', { key: 'RSA-2048' })
        .issue('leaf', ['a.example'], { key: 'Ed25519' }).cert,
    ]
    const options = { args: [JSON.stringify(texts)] }
    const [node, small] = await Promise.all([program.onNode(options), program.onSmall(options)])
    expect(small.stdout.split('\n')).toEqual(node.stdout.split('\n'))
    expect(node.stdout.length).toBeGreaterThan(1000)
    expect(small.stderr).toBe('')
  })

  it('random bytes of a child are parsed or rejected as a report', async () => {
    using program = await both('tls-reports', { onNode: false })
    expect(await program.onSmall({ args: [`${times(2000)}`] })).toEqual({
      stdout: 'true\n',
      stderr: '',
      code: 0,
      signal: null,
    })
  })
})
