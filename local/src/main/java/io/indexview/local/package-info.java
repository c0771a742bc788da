/** The whole stack on one machine, as a library: real parts, loopback only, nothing left behind. */
package io.indexview.local;
