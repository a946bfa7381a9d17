import { describe, expect, test } from 'vitest'
import { parseCniArgs } from './cni-args.ts'
import { k8sArgs } from './k8s-args.ts'

const strict = (text: string) => parseCniArgs(text, { strict: true, known: { MAC: 'string', IP: 'ip' } })

describe('strict parser', () => {
  test.each([
    '',
    'IgnoreUnknown=1',
    'IgnoreUnknown=1;X=Y',
    'X=Y;IgnoreUnknown=true',
    'X=Y;IgnoreUnknown=TRUE',
    'MAC=aa',
    'IP=10.0.0.1',
    'IP=',
    'IgnoreUnknown=1;MAC=a b',
    'IgnoreUnknown=0;MAC=x',
  ])('%j is accepted', (text) => {
    expect(() => strict(text)).not.toThrow()
  })

  test.each([
    ['X=Y', 'ARGS: unknown args ["X=Y"]'],
    ['X=Y;Z=W', 'ARGS: unknown args ["X=Y" "Z=W"]'],
    ['X=', 'ARGS: unknown args ["X="]'],
    ['=Y', 'ARGS: unknown args ["=Y"]'],
    ['mac=aa', 'ARGS: unknown args ["mac=aa"]'],
    ['ignoreunknown=1;X=Y', 'ARGS: unknown args ["ignoreunknown=1" "X=Y"]'],
    [' IgnoreUnknown=1', 'ARGS: unknown args [" IgnoreUnknown=1"]'],
    ['IgnoreUnknown=0;X=Y', 'ARGS: unknown args ["X=Y"]'],
    ['__proto__=1', 'ARGS: unknown args ["__proto__=1"]'],
    ['X', 'ARGS: invalid pair "X"'],
    ['X=a=b', 'ARGS: invalid pair "X=a=b"'],
    ['K8S=1;', 'ARGS: invalid pair ""'],
    [';', 'ARGS: invalid pair ""'],
    ['IgnoreUnknown=yes', 'ARGS: error parsing value of pair "IgnoreUnknown=yes": expected 1, 0, true or false'],
    ['IP=x', 'ARGS: error parsing value of pair "IP=x": invalid IP address: x'],
  ])('%j is refused: %s', (text, message) => {
    expect(() => strict(text)).toThrow(expect.objectContaining({ code: 999, message }))
  })
})

test('the tolerant parser accepts malformed pieces and keeps the last of equal keys', () => {
  expect([...parseCniArgs('IgnoreUnknown=1;A=b=c;X;=Y;;B=;A=d=;')]).toEqual([
    ['IgnoreUnknown', '1'],
    ['A', 'd='],
    ['B', ''],
  ])
  expect(parseCniArgs('').size).toBe(0)
  expect(parseCniArgs('__proto__=1').get('__proto__')).toBe('1')
})

test('k8sArgs returns the pod if CNI_ARGS has its namespace and its name', () => {
  const text = 'K8S_POD_NAMESPACE=ns;K8S_POD_NAME=web-0;K8S_POD_UID=u;K8S_POD_INFRA_CONTAINER_ID=c'
  expect(k8sArgs(parseCniArgs(text))).toEqual({ namespace: 'ns', name: 'web-0', uid: 'u', infraContainerID: 'c' })
  expect(k8sArgs(parseCniArgs('K8S_POD_NAMESPACE=ns;K8S_POD_NAME=web-0;K8S_POD_UID='))).toEqual({
    namespace: 'ns',
    name: 'web-0',
  })
  expect(k8sArgs(parseCniArgs('K8S_POD_NAMESPACE=ns;K8S_POD_NAME='))).toBeUndefined()
  expect(k8sArgs(new Map())).toBeUndefined()
})
