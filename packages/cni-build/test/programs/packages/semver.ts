import semver, { inc, SemVer } from 'semver'
import satisfies from 'semver/functions/satisfies.js'

console.log(satisfies('1.4.5', '^1.2'), inc('1.0.0-rc.1', 'prerelease'), ['2.0.0', '1.10.0', '1.9.0'].sort(semver.compare).join(), semver.maxSatisfying(['1.0.0', '2.0.0'], '<2'))
console.log(new SemVer('1.2.3-beta.4+build').prerelease.join(), semver.coerce('v3.4')?.version, semver.validRange('>=1 <2 || 3.x'), new semver.Range('^1').constructor.name)
try { new SemVer('no') } catch (error) { console.log(String(error)) }
console.log(Object.keys(semver).length, semver.diff('1.0.0', '1.1.0'), semver.intersects('^1', '>1.5'))
