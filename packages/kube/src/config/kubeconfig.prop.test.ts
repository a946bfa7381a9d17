import fc from 'fast-check'
import { expect, test } from 'vitest'
import { stringify } from 'yaml'
import { KubeError } from '../kube-error.ts'
import { parseKubeconfig } from './kubeconfig.ts'

const word = fc.stringMatching(/^[a-z][a-z0-9-]{0,12}$/)
const kubeconfig = fc
  .record({
    cluster: word,
    user: word,
    context: word,
    token: fc.stringMatching(/^[A-Za-z0-9_.-]{1,60}$/),
    port: fc.nat({ max: 65535 }),
  })
  .map(({ cluster, user, context, token, port }) => ({
    'current-context': context,
    clusters: [
      { name: cluster, cluster: { server: `https://[fd00::1]:${port}`, 'certificate-authority-data': 'LS0t' } },
    ],
    contexts: [{ name: context, context: { cluster, user } }],
    users: [{ name: user, user: { token } }],
  }))

test('a kubeconfig in any notation is parsed', async () => {
  await fc.assert(
    fc.asyncProperty(kubeconfig, fc.constantFrom('block', 'flow', 'json'), async (document, style) => {
      const text = style === 'json' ? JSON.stringify(document) : stringify(document, { collectionStyle: style })
      expect(await parseKubeconfig('file', text)).toEqual(document)
    }),
    { numRuns: 300 },
  )
})

test('invalid bytes cause a KubeError', async () => {
  const bytes = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.json(),
    fc.string(),
    fc.constantFrom('a: &a [*a,*a]', '{', '[', 'a: *b', '? ', '!!js/x y'),
  )
  fc.assert(
    fc.property(bytes, (text) => {
      try {
        parseKubeconfig('file', text)
      } catch (error) {
        expect(error).toBeInstanceOf(KubeError)
      }
    }),
    { numRuns: 1000 },
  )
})
