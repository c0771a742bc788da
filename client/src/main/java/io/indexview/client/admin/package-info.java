/** Creating, changing, watching and dropping views. */
package io.indexview.client.admin;
