/** Commands on views. */
package io.indexview.cli.view;
