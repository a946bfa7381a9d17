export default class { n = 1 }
