import { Address4, Address6 } from 'ip-address'

const four = new Address4('10.1.2.3/16')
const six = new Address6('2001:db8::1/64')
console.log(four.startAddress().address, four.isInSubnet(new Address4('10.0.0.0/8')), four.toHex(), four.bigInt())
console.log(six.canonicalForm(), six.correctForm(), six.endAddress().correctForm(), six.to4in6(), Address6.fromAddress4('1.2.3.4').correctForm())
try { new Address4('1.2.3.400') } catch (error: any) { console.log(error.name, error.constructor.name, error.message) }
console.log(new Address6('::1').getType(), new Address6('fe80::1').isLinkLocal(), Address4.isValid('1.2.3'))
