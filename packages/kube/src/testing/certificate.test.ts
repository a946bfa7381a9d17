import { X509Certificate } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { createAuthority } from './certificate.ts'
import { integer, oid, sequence, time } from './der.ts'

describe('a test authority', () => {
  const authority = createAuthority('test-ca')
  const ca = new X509Certificate(authority.cert)

  test('signs itself and may sign others', () => {
    expect(ca.subject).toBe('CN=test-ca')
    expect(ca.ca).toBe(true)
    expect(ca.verify(ca.publicKey)).toBe(true)
    expect(ca.checkIssued(ca)).toBe(true)
  })

  test('issues a server certificate for names and addresses', () => {
    const { cert, key } = authority.issue('server', ['localhost', '127.0.0.1', '::1', 'fd00:1::7'])
    const server = new X509Certificate(cert)
    expect(server.ca).toBe(false)
    expect(server.verify(ca.publicKey)).toBe(true)
    expect(server.checkIssued(ca)).toBe(true)
    expect(server.checkHost('localhost')).toBe('localhost')
    expect(server.checkHost('other')).toBeUndefined()
    for (const address of ['127.0.0.1', '::1', 'fd00:1::7']) expect(server.checkIP(address)).toBe(address)
    expect(server.checkIP('127.0.0.2')).toBeUndefined()
    expect(key).toMatch(/^-----BEGIN PRIVATE KEY-----\n/)
  })

  test('is valid in the given period', () => {
    const validity = { notBefore: new Date('2024-02-29T12:00:00Z'), notAfter: new Date('2051-01-01T00:00:00Z') }
    const { validFrom, validTo } = new X509Certificate(createAuthority('x', validity).cert)
    expect(new Date(validFrom)).toEqual(validity.notBefore)
    expect(new Date(validTo)).toEqual(validity.notAfter)
  })
})

describe('DER', () => {
  test.each([
    ['a small integer', integer(5n), '020105'],
    ['an integer with its top bit set', integer(0x80n), '02020080'],
    ['zero', integer(0n), '020100'],
    ['an object identifier', oid('1.2.840.10045.4.3.2'), '06082a8648ce3d040302'],
    ['a UTCTime', time(new Date('2030-01-02T03:04:05Z')), '170d3330303130323033303430355a'],
    ['a GeneralizedTime', time(new Date('2050-01-02T03:04:05Z')), '180f32303530303130323033303430355a'],
    ['a long form length', sequence(Buffer.alloc(300)).subarray(0, 4), '3082012c'],
  ])('%s', (_, bytes, hex) => {
    expect(bytes.toString('hex')).toBe(hex)
  })
})
