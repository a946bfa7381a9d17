/** The digest of a text, in hexadecimal. On bun by its own hasher: to load `node:crypto` there takes 2 ms. */
export function sha256(text: string): string {
  if (process.versions.bun === undefined) {
    return process.getBuiltinModule('node:crypto').createHash('sha256').update(text).digest('hex')
  }
  // foreign API without types: the parse boundary
  const { Bun } = globalThis as unknown as {
    Bun: { CryptoHasher: { hash(name: string, text: string, as: 'hex'): string } }
  }
  return Bun.CryptoHasher.hash('sha256', text, 'hex')
}
