import { describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { kubeconfigText } from '../testing/kubeconfig-text.ts'
import { parseBlockYaml } from './block-yaml.ts'

const kubectl = `apiVersion: v1
clusters:
- cluster:
    certificate-authority-data: LS0tLS1CRUdJTi9+Zz09
    server: https://[fd00::1]:6443
  name: arn:aws:eks:eu-west-1:0123:cluster/blue
contexts:
- context:
    cluster: arn:aws:eks:eu-west-1:0123:cluster/blue
    namespace: ""
    user: kubernetes-admin
  name: kubernetes-admin@kubernetes
current-context: kubernetes-admin@kubernetes
kind: Config
preferences: {}
users:
- name: kubernetes-admin
  user:
    client-certificate-data: LS0t
    client-key-data: LS0t
    token: "0123456"
`

const older = `# Kubeconfig file for Istio CNI plugin.
apiVersion: v1
kind: Config
clusters:
- name: local
  cluster:
    server: https://[10.96.0.1]:443
    insecure-skip-tls-verify: true
users:
- name: istio-cni
  user:
    token: 'it''s'
contexts:
  - name: istio-cni-context
    context:
      cluster: local
      user: istio-cni
current-context: istio-cni-context
`

const agent = kubeconfigText({ server: 'https://10.96.0.1:443', ca: 'PEM', token: 'eyJhbGciOi.J9.x_y-z' })

describe('what kubectl and Istio write reads as a YAML library reads it', () => {
  test.each([
    ['kubectl', kubectl],
    ['the older template', older],
    ['the node agent', agent],
    ['members without a value', 'a:\nb:\n  c:\nd: ~\n'],
    ['scalars in a sequence', 'a:\n- b\n- "c d"\n- true\n'],
  ])('%s', (_, text) => {
    expect(parseBlockYaml(text)).toStrictEqual(parse(text))
  })
})

describe('anything else is left to a YAML library', () => {
  test.each([
    ['an anchor', 'a: &x b\n'],
    ['an alias', 'a: *x\n'],
    ['a tag', 'a: !!str b\n'],
    ['a literal block', 'a: |\n  b\n'],
    ['a folded block', 'a: >-\n  b\n'],
    ['a flow mapping', 'a: {b: c}\n'],
    ['a flow sequence', 'a: [b]\n'],
    ['a continued scalar', 'a: b\n  c\n'],
    ['a comment behind a value', 'a: b # c\n'],
    ['a number', 'a: 12\n'],
    ['a hexadecimal number', 'a: 0x1F\n'],
    ['a number with an exponent', 'a: 1e5\n'],
    ['an escape', 'a: "b\\n"\n'],
    ['a tab', 'a:\tb\n'],
    ['an indented tab', 'a:\n\tb: c\n'],
    ['carriage returns', 'a: b\r\nc: d\r\n'],
    ['a repeated key', 'a: b\na: c\n'],
    ['a key that YAML takes for null', 'null: b\n'],
    ['a prototype key', '__proto__: b\n'],
    ['a merge key', '<<: b\n'],
    ['a document marker', '---\na: b\n'],
    ['a bare scalar', 'a\n'],
    ['a nested sequence', '- - a\n'],
    ['less indentation than any parent', 'a:\n    b: c\n  d: e\n'],
    ['nothing', ''],
    ['only a comment', '# a\n'],
    ['too many levels', Array.from({ length: 40 }, (_, level) => `${' '.repeat(level)}a:`).join('\n')],
  ])('%s', (_, text) => {
    expect(parseBlockYaml(text)).toBeUndefined()
  })
})
