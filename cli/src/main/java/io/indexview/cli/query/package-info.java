/** Reading rows of views. */
package io.indexview.cli.query;
