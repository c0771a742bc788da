/** Where a row lies in a store: key components and attributes, without any store's own types. */
package io.indexview.views.layout;
