/** View rows as sinks receive them: their generation, their version, their fields. */
package io.indexview.connect.common.row;
