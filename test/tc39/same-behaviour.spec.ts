// One suite, two compilers: here everything is compiled with standard decorators, and nothing may change.
import '../decorator/transparency.spec.js';
import '../decorator/throws.spec.js';
import '../decorator/this-and-inheritance.spec.js';
import '../decorator/names.spec.js';
import '../decorator/instances.spec.js';
import '../decorator/placement.spec.js';
import '../decorator/fallback.spec.js';
import '../decorator/merged-rules.spec.js';
import '../decorator/circuit-breaker.spec.js';
import '../decorator/signal.spec.js';
import '../decorator/on-report.spec.js';
import '../decorator/bad-options.spec.js';
import '../decorator/metadata.spec.js';
import '../decorator/other-decorators.spec.js';
import '../decorator/equivalence.spec.js';
import '../decorator/policies.spec.js';
import '../decorator/two-copies.spec.js';
