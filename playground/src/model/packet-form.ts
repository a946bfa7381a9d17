/** Texts in the fields of the packet form, as the user has typed them. The texts may be invalid. */
export interface PacketForm {
  readonly protocol: string
  readonly to: string
  readonly port: string
  readonly from: string
  readonly fromPort: string
  /** Network interface through which the packet enters the pod. Empty for a packet that the pod sends. */
  readonly in: string
  readonly uid: string
  readonly mark: string
  /** Words of the packet's text that belong to no field, such as `state ESTABLISHED local 10.0.0.1`. */
  readonly more: string
}

/** Splits the text of a packet into the fields of the packet form, without validation. */
export function formOf(text: string): PacketForm {
  const [protocol = '', target = '', ...words] = text.trim().split(/\s+/)
  const [to, port] = endpoint(target)
  const known: Record<string, string> = {}
  const more: string[] = []
  for (let at = 0; at < words.length; at += 2) {
    const [word = '', value = ''] = words.slice(at, at + 2)
    if (fields.has(word)) known[word] = value
    else more.push(`${word} ${value}`.trim())
  }
  const [from, fromPort] = endpoint(known.from ?? '')
  const { in: entered = '', uid = '', mark = '' } = known
  return { protocol, to, port, from, fromPort, in: entered, uid, mark, more: more.join(' ') }
}

/** Builds the text of a packet from the form's fields, in the syntax of `istio-redirect trace --packet`. */
export function textOf(form: PacketForm): string {
  const words = [
    form.protocol,
    endpointOf(form.to, form.port),
    ...(form.from === '' ? [] : ['from', endpointOf(form.from, form.fromPort)]),
    ...(form.in === '' ? [] : ['in', form.in]),
    ...(form.uid === '' ? [] : ['uid', form.uid]),
    ...(form.mark === '' ? [] : ['mark', form.mark]),
    form.more,
  ]
  return words.filter((word) => word !== '').join(' ')
}

// internal

const fields: ReadonlySet<string> = new Set(['from', 'in', 'uid', 'mark'])

function endpoint(text: string): [address: string, port: string] {
  const [, bracketed, dotted, port = ''] = /^(?:\[([^\]]*)\]|([^:]*))(?::(.*))?$/.exec(text) ?? []
  return [bracketed ?? dotted ?? text, port]
}

function endpointOf(address: string, port: string): string {
  if (port === '') return address
  return address.includes(':') ? `[${address}]:${port}` : `${address}:${port}`
}
